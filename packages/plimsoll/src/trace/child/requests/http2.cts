import type { EventEmitter } from 'node:events';
import type { ServerHttp2Stream } from 'node:http2';

import wrapEmit = require('./emit.cjs');
import exchanges = require('./exchanges.cjs');
import labels = require('./labels.cjs');
import logs = require('./log.cjs');
import stamp = require('./stamp.cjs');

type Log = InstanceType<typeof logs.RequestLog>;
type Open = NonNullable<ReturnType<Log['begin']>>;

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
    const url = String(headers[':path'] ?? '');
    const connection = session === undefined ? 0 : this.#connection(session);
    const isSampled = this.#log.shouldSample(() => `${method} ${labels.firstSegment(url)}`);
    const asked = { request: null, method, url };
    const exchange = exchanges.open(this.#log, 'http2', connection, isSampled, asked);
    if (exchange === null) return null;
    exchanges.put(stream, exchange);
    this.#watch(Object.getPrototypeOf(stream) as ServerHttp2Stream);
    return exchange.open;
  }

  #connection(session: object): number {
    const known = connections.get(session);
    if (known !== undefined) return known;
    const number = this.#log.nextConnection();
    connections.put(session, number);
    return number;
  }

  #end(stream: ServerHttp2Stream, open: Open, isFinished: boolean): void {
    if (!isFinished) return this.#log.end(open, stream.aborted ? 'aborted' : 'failed');
    this.#log.end(open, Number(stream.sentHeaders?.[':status'] ?? 0) >= 500 ? 'failed' : 'answered');
  }

  /** Node does not export the class of these streams. */
  #watch(prototype: ServerHttp2Stream): void {
    if (this.#watched.has(prototype)) return;
    this.#watched.add(prototype);
    const end = (stream: EventEmitter, open: Open, isFinished: boolean): void =>
      this.#end(stream as ServerHttp2Stream, open, isFinished);
    wrapEmit(
      prototype,
      (original) =>
        function emit(this: EventEmitter, ...args) {
          const open = exchanges.of(this)?.open;
          if (open === undefined) return Reflect.apply(original, this, args);
          if (args[0] === 'finish' || args[0] === 'close') end(this, open, args[0] === 'finish');
          return logs.inside(open, () => Reflect.apply(original, this, args));
        },
    );
  }
}

export = Http2;
