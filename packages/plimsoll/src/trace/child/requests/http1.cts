import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import wrapEmit = require('./emit.cjs');
import logs = require('./log.cjs');
import patterns = require('./patterns.cjs');
import stamp = require('./stamp.cjs');

type Log = InstanceType<typeof logs.RequestLog>;
type Open = NonNullable<ReturnType<Log['begin']>>;

interface Connection {
  readonly number: number;
  /** More than one where requests are pipelined. */
  readonly open: Set<Exchange>;
}

/** A request with what its route is read from at its end. */
interface Exchange {
  readonly open: Open;
  readonly request: IncomingMessage;
  /** Frameworks change that of the request. */
  readonly url: string;
}

/** How the peer's going away shows in the error of a socket. */
const PEER_GONE: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ETIMEDOUT']);

const exchanges = stamp<Exchange>();
const connections = stamp<Connection>();

/** Requests over HTTP/1, of servers of http, of https, and of http2 that allow it. */
class Http1 {
  readonly #log: Log;
  #isWatching = false;

  constructor(log: Log) {
    this.#log = log;
  }

  /** A request whose headers have been read; `null` when it is not recorded. */
  arrives(request: IncomingMessage, response: ServerResponse): Open | null {
    const known = exchanges.get(response);
    if (known !== undefined) return known.open;
    const { ServerResponse: Response } = require('node:http') as typeof import('node:http');
    if (!(response instanceof Response)) return null;
    this.#watch();
    const exchange = this.#begin(request, request.socket);
    if (exchange === null) return null;
    exchanges.put(response, exchange);
    exchanges.put(request, exchange);
    return exchange.open;
  }

  /** A request to change the protocol: it ends when its answer begins, and the connection is somebody else's. */
  leaves(request: IncomingMessage, socket: Socket): Open | null {
    const exchange = this.#begin(request, socket);
    if (exchange === null) return null;
    const { write } = socket;
    const isOwn = Object.hasOwn(socket, 'write');
    const first = (...args: Parameters<Socket['write']>): boolean => {
      if (isOwn) socket.write = write;
      else Reflect.deleteProperty(socket, 'write');
      const status = Number(/^HTTP\/1\.\d (\d{3})/.exec(String(args[0]).slice(0, 20))?.[1] ?? 101);
      this.#end(exchange, status < 300 ? 'upgraded' : status < 500 ? 'answered' : 'failed');
      connections.get(socket)?.open.delete(exchange);
      return Reflect.apply(write, socket, args);
    };
    Object.defineProperty(socket, 'write', { value: first, configurable: true, writable: true });
    return exchange.open;
  }

  #begin(request: IncomingMessage, socket: Socket): Exchange | null {
    const { method = '', url = '' } = request;
    const connection = this.#connection(socket);
    const isSampled =
      this.#log.samplesAll || this.#log.shouldSample(`${method} ${patterns.firstSegment(url)}`);
    const open = this.#log.begin('http', connection.number, isSampled);
    if (open === null) return null;
    const exchange = { open, request, url };
    connection.open.add(exchange);
    return exchange;
  }

  #connection(socket: Socket): Connection {
    const known = connections.get(socket);
    if (known !== undefined) return known;
    const connection: Connection = { number: this.#log.nextConnection(), open: new Set() };
    connections.put(socket, connection);
    socket.once('close', () => {
      for (const exchange of connection.open) this.#end(exchange, isPeerGone(socket) ? 'aborted' : 'failed');
      connection.open.clear();
    });
    return connection;
  }

  #end(exchange: Exchange, end: 'answered' | 'failed' | 'aborted' | 'upgraded'): void {
    this.#log.end(exchange.open, end, () =>
      patterns.routeOf(exchange.request, exchange.url, this.#log.routes),
    );
  }

  /** What a request and its response emit belongs to it: data that comes later, a drain that lets a stream go on. */
  #watch(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    const { IncomingMessage: Request, ServerResponse: Response } =
      require('node:http') as typeof import('node:http');
    const finish = (exchange: Exchange, { statusCode }: ServerResponse): void => {
      connections.get(exchange.request.socket)?.open.delete(exchange);
      this.#end(exchange, statusCode >= 500 ? 'failed' : 'answered');
    };
    wrapEmit(
      Response.prototype,
      (original) =>
        function emit(this: EventEmitter, ...args) {
          const exchange = exchanges.get(this);
          if (exchange === undefined) return Reflect.apply(original, this, args);
          if (args[0] === 'finish') finish(exchange, this as ServerResponse);
          return logs.inside(exchange.open, () => Reflect.apply(original, this, args));
        },
    );
    wrapEmit(
      Request.prototype,
      (original) =>
        function emit(this: EventEmitter, ...args) {
          const exchange = exchanges.get(this);
          return exchange === undefined
            ? Reflect.apply(original, this, args)
            : logs.inside(exchange.open, () => Reflect.apply(original, this, args));
        },
    );
  }
}

/** Whether a connection was closed by the client, rather than by the program. */
const isPeerGone = ({ errored, readableEnded }: Socket): boolean =>
  readableEnded || PEER_GONE.has((errored as NodeJS.ErrnoException | null)?.code);

export = Http1;
