import type { EventEmitter } from 'node:events';
import type { ServerHttp2Stream } from 'node:http2';

import wrapEmit = require('../../../target/child/emit.cjs');
import exchanges = require('./exchanges.cjs');
import labels = require('../../../target/child/labels.cjs');
import logs = require('./log.cjs');
import stamp = require('../../../target/child/stamp.cjs');

type Log = InstanceType<typeof logs.RequestLog>;
type Open = NonNullable<ReturnType<Log['begin']>>;

/** NGHTTP2_CANCEL, of RFC 9113. */
const CANCEL = 8;

const connections = stamp<number>();
/** The program has closed it; Node itself closes those of a connection that is gone with CANCEL. */
const closedHere = stamp<true>();

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
    const asked = { request: null, method, url };
    const exchange = exchanges.open(this.#log, 'http2', connection, asked);
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

  #over(stream: ServerHttp2Stream, open: Open, event: unknown): void {
    if (open.isOver) return;
    const { aborted, rstCode, writableEnded, headersSent } = stream;
    // A stream whose two sides are done may be closed without having finished.
    const isSent = !aborted && rstCode === 0 && writableEnded && headersSent;
    if (event === 'finish' || event === 'close') {
      if (isSent) this.#log.end(open, Number(stream.sentHeaders?.[':status']) >= 500 ? 'failed' : 'answered');
      else if (event === 'close') this.#log.end(open, endOfCut(stream));
    } else if (event === 'aborted') this.#log.end(open, endOfCut(stream));
  }

  /** Node does not export the class of these streams. */
  #watch(prototype: ServerHttp2Stream): void {
    if (this.#watched.has(prototype)) return;
    this.#watched.add(prototype);
    const over = (stream: EventEmitter, open: Open, event: unknown): void =>
      this.#over(stream as ServerHttp2Stream, open, event);
    wrapEmit(
      prototype,
      (original) =>
        function emit(this: EventEmitter, ...args) {
          const open = exchanges.of(this)?.open;
          if (open === undefined) return Reflect.apply(original, this, args);
          over(this, open, args[0]);
          return logs.inside(open, () => Reflect.apply(original, this, args));
        },
    );
    const { close } = prototype;
    prototype.close = function (...args) {
      if (args[0] !== CANCEL && exchanges.of(this) !== undefined && !this.closed) closedHere.put(this, true);
      return Reflect.apply(close, this, args);
    };
  }
}

/** How a stream ended whose response was not all sent: what goes away with its connection, or is cancelled, has this code. */
function endOfCut(stream: ServerHttp2Stream): 'aborted' | 'failed' {
  if (closedHere.get(stream) === true) return 'failed';
  return stream.destroyed && stream.rstCode !== CANCEL ? 'failed' : 'aborted';
}

export = Http2;
