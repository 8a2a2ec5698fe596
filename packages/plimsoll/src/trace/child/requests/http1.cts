import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import isPeerGone = require('../../../target/child/is-peer-gone.cjs');
import wrapEmit = require('../../../target/child/emit.cjs');
import exchanges = require('./exchanges.cjs');
import labels = require('../../../target/child/labels.cjs');
import logs = require('./log.cjs');

type Log = InstanceType<typeof logs.RequestLog>;
type Open = NonNullable<ReturnType<Log['begin']>>;
type Exchange = NonNullable<ReturnType<typeof exchanges.of>>;
type Emit = (this: EventEmitter, ...args: unknown[]) => boolean;

interface Connection {
  readonly number: number;
  /** More than one where requests are pipelined. */
  readonly open: Set<Open>;
}

/** A map, not a field: a socket that gets one more costs every request of its connection some hundred nanoseconds. */
const connections = new WeakMap<Socket, Connection>();

/** Requests over HTTP/1, of servers of http, of https, and of http2 that allow it. */
class Http1 {
  readonly #log: Log;
  #http: typeof import('node:http') | null = null;

  constructor(log: Log) {
    this.#log = log;
  }

  /** A request whose headers have been read; `null` when it is not recorded. */
  arrives(request: IncomingMessage, response: ServerResponse): Open | null {
    const known = exchanges.of(response);
    if (known !== undefined) return known.open;
    if (!(response instanceof this.#classes().ServerResponse)) return null;
    const exchange = this.#begin(request, this.#connection(request.socket));
    if (exchange === null) return null;
    exchanges.put(response, exchange);
    exchanges.put(request, exchange);
    return exchange.open;
  }

  /** A request to change the protocol: it ends when its answer begins, and the connection is somebody else's. */
  leaves(request: IncomingMessage, socket: Socket): Open | null {
    const connection = this.#connection(socket);
    const open = this.#begin(request, connection)?.open ?? null;
    if (open === null) return null;
    beforeFirstWrite(socket, (line) => {
      connection.open.delete(open);
      this.#log.end(open, endOfUpgrade(line));
    });
    return open;
  }

  #begin(request: IncomingMessage, connection: Connection): Exchange | null {
    const { method = '', url = '' } = request;
    const exchange = exchanges.open(this.#log, 'http', connection.number, {
      request,
      method,
      url,
    });
    if (exchange !== null) connection.open.add(exchange.open);
    return exchange;
  }

  #connection(socket: Socket): Connection {
    const known = connections.get(socket);
    if (known !== undefined) return known;
    const connection: Connection = { number: this.#log.nextConnection(), open: new Set() };
    connections.set(socket, connection);
    socket.once('close', () => {
      for (const open of connection.open) this.#log.end(open, isPeerGone(socket) ? 'aborted' : 'failed');
      connection.open.clear();
    });
    return connection;
  }

  #finish({ open, request }: Exchange, status: number): void {
    if (request !== null) connections.get(request.socket)?.open.delete(open);
    this.#log.end(open, status >= 500 ? 'failed' : 'answered');
  }

  /**
   * What a request and its response emit belongs to it: data that comes later, a drain that lets a stream go on. The
   * classes are taken when the app has loaded them.
   */
  #classes(): typeof import('node:http') {
    if (this.#http !== null) return this.#http;
    this.#http = require('node:http') as typeof import('node:http');
    const around =
      (before: (emitter: EventEmitter, name: unknown, exchange: Exchange) => void) =>
      (original: Emit): Emit =>
        function emit(...args) {
          const exchange = exchanges.of(this);
          if (exchange === undefined) return Reflect.apply(original, this, args);
          before(this, args[0], exchange);
          // Most events have no listener, and to enter a context for nobody costs as much as for somebody.
          if (this.listenerCount(args[0] as string) === 0) return Reflect.apply(original, this, args);
          return logs.inside(exchange.open, () => Reflect.apply(original, this, args));
        };
    wrapEmit(
      this.#http.ServerResponse.prototype,
      around((response, name, exchange) => {
        if (name === 'finish') this.#finish(exchange, (response as ServerResponse).statusCode);
      }),
    );
    wrapEmit(
      this.#http.IncomingMessage.prototype,
      around(() => {}),
    );
    return this.#http;
  }
}

/** Call once before a socket is first written to, with the beginning of what is written. */
function beforeFirstWrite(socket: Socket, tell: (text: string) => void): void {
  const undo = (['write', 'end'] as const).map((name) => {
    const own = Object.getOwnPropertyDescriptor(socket, name);
    const original = socket[name] as (...args: unknown[]) => unknown;
    const first = (...args: unknown[]): unknown => {
      for (const one of undo) one();
      tell(typeof args[0] === 'string' || Buffer.isBuffer(args[0]) ? args[0].toString('latin1', 0, 20) : '');
      return Reflect.apply(original, socket, args);
    };
    Object.defineProperty(socket, name, { value: first, configurable: true, writable: true });
    return () => {
      if (own === undefined) Reflect.deleteProperty(socket, name);
      else Object.defineProperty(socket, name, own);
    };
  });
}

/** By the first line of the answer; whoever sends none as text changes the protocol in a way of its own. */
function endOfUpgrade(line: string): 'upgraded' | 'answered' | 'failed' {
  const status = Number(/^HTTP\/1\.\d (\d{3})/.exec(line)?.[1] ?? 101);
  if (status < 300) return 'upgraded';
  return status < 500 ? 'answered' : 'failed';
}

export = Http1;
