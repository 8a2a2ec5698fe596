import type { EventEmitter } from 'node:events';
import type { ServerHttp2Stream } from 'node:http2';

import wrapEmit = require('./emit.cjs');
import logs = require('./log.cjs');
import patterns = require('./patterns.cjs');
import stamp = require('./stamp.cjs');

type Log = InstanceType<typeof logs.RequestLog>;
type Open = NonNullable<ReturnType<Log['begin']>>;

interface Exchange {
  readonly open: Open;
  readonly method: string;
  readonly path: string;
}

const exchanges = stamp<Exchange>();
const connections = stamp<number>();

/** Streams of HTTP/2; the interface of requests and responses is made from them. */
class Http2 {
  readonly #log: Log;
  readonly #watched = new WeakSet<object>();

  constructor(log: Log) {
    this.#log = log;
  }

  arrives(stream: ServerHttp2Stream, headers: Readonly<Record<string, unknown>>): Open | null {
    const { session } = stream;
    const method = String(headers[':method'] ?? '');
    const path = String(headers[':path'] ?? '');
    const connection = session === undefined ? 0 : this.#connection(session);
    const isSampled =
      this.#log.samplesAll || this.#log.shouldSample(`${method} ${patterns.firstSegment(path)}`);
    const open = this.#log.begin('http2', connection, isSampled);
    if (open === null) return null;
    exchanges.put(stream, { open, method, path });
    this.#watch(Object.getPrototypeOf(stream) as ServerHttp2Stream);
    return open;
  }

  #connection(session: object): number {
    const known = connections.get(session);
    if (known !== undefined) return known;
    const number = this.#log.nextConnection();
    connections.put(session, number);
    return number;
  }

  #end(stream: ServerHttp2Stream, { open, method, path }: Exchange, isFinished: boolean): void {
    const status = Number(stream.sentHeaders?.[':status'] ?? 0);
    const wasCut = stream.aborted ? 'aborted' : 'failed';
    this.#log.end(open, !isFinished ? wasCut : status >= 500 ? 'failed' : 'answered', () =>
      this.#log.routes.ofUrl(method, path),
    );
  }

  /** Node does not export the class of these streams. */
  #watch(prototype: ServerHttp2Stream): void {
    if (this.#watched.has(prototype)) return;
    this.#watched.add(prototype);
    const end = (stream: ServerHttp2Stream, exchange: Exchange, isFinished: boolean): void =>
      this.#end(stream, exchange, isFinished);
    wrapEmit(
      prototype,
      (original) =>
        function emit(this: EventEmitter, ...args) {
          const exchange = exchanges.get(this);
          if (exchange === undefined) return Reflect.apply(original, this, args);
          if (args[0] === 'finish' || args[0] === 'close')
            end(this as ServerHttp2Stream, exchange, args[0] === 'finish');
          return logs.inside(exchange.open, () => Reflect.apply(original, this, args));
        },
    );
  }
}

export = Http2;
