import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';

import channels = require('node:diagnostics_channel');
import net = require('node:net');
import util = require('node:util');
import now = require('../../target/child/clock.cjs');
import labels = require('../../target/child/labels.cjs');
import rings = require('./ring.cjs');

type Writer = InstanceType<typeof rings.RingWriter>;
type Routes = InstanceType<typeof labels.Routes>;
type End = 0 | 1 | 2;

const { KIND } = rings;
const STARTS = 'http.server.request.start';
/** Where `plimsoll/mark` finds whoever listens. */
const MARK = Symbol.for('plimsoll.mark');
/** NGHTTP2_CANCEL, of RFC 9113: the client wants no answer any more. */
const CANCEL = 8;

let arrivedAt = 0;
const forgetArrival = (): void => {
  arrivedAt = 0;
};

/** Of all that the event loop finds in one turn: when the first was taken. The others had to wait for what came before them. */
function arrival(): number {
  if (arrivedAt === 0) {
    arrivedAt = now();
    // One with a reference would make the loop look for events once more before it waits.
    setImmediate(forgetArrival).unref();
  }
  return arrivedAt;
}

/** Counts what comes over HTTP/1 and HTTP/2, and marks. No async hooks: an HTTP/1 request costs a channel's call and a listener. */
class RequestMeter {
  readonly #ring: Writer;
  readonly #routes: Routes;
  readonly #undo: (() => void)[] = [];

  constructor(ring: Writer, tellRoute: (route: number, name: string) => void) {
    this.#ring = ring;
    this.#routes = new labels.Routes(tellRoute);
  }

  start(): void {
    const begin = (message: unknown): void =>
      this.#exchange(message as { request: IncomingMessage; response: ServerResponse });
    channels.subscribe(STARTS, begin);
    this.#undo.push(() => channels.unsubscribe(STARTS, begin));
    // Servers of http2 inherit from net.Server; the channels of streams are younger than the oldest line of Node.
    const { emit } = net.Server.prototype;
    const meter = this;
    this.#define(net.Server.prototype, 'emit', function (this: EventEmitter, ...args: unknown[]): unknown {
      if (args[0] === 'stream')
        meter.#stream(args[1] as ServerHttp2Stream, args[2] as Record<string, unknown>);
      return Reflect.apply(emit, this, args);
    });
    this.#define(globalThis, MARK, (name: unknown, work: () => unknown) => this.#mark(name, work));
  }

  stop(): void {
    for (const undo of this.#undo.splice(0)) undo();
  }

  #define(object: object, key: PropertyKey, value: unknown): void {
    const earlier = Object.getOwnPropertyDescriptor(object, key);
    Object.defineProperty(object, key, { value, writable: true, configurable: true });
    this.#undo.push(() => {
      // Who came later and calls this one keeps it.
      if (Reflect.get(object, key) !== value) return;
      if (earlier === undefined) Reflect.deleteProperty(object, key);
      else Object.defineProperty(object, key, earlier);
    });
  }

  #exchange({ request, response }: { request: IncomingMessage; response: ServerResponse }): void {
    const end = this.#open(arrival(), () => this.#routes.ofUrl(request.method ?? '', request.url ?? ''));
    if (end === null) return;
    response.once('close', () => {
      if (response.writableFinished) end(kindOf(response.statusCode));
      else end(isPeerGone(response.req.socket) ? KIND.aborted : KIND.failed);
    });
  }

  /** @returns what ends the request, to be called once: its slot is free then. `null`: it is not measured. */
  #open(start: number, routeOf: () => number): ((kind: End) => void) | null {
    const slot = this.#ring.begin(start);
    if (slot === -1) return null;
    const route = routeOf();
    return (kind) => this.#ring.end(slot, now(), route, kind);
  }

  #stream(stream: ServerHttp2Stream, headers: Readonly<Record<string, unknown>>): void {
    const path = headers?.[':path'];
    if (typeof stream?.once !== 'function' || typeof path !== 'string') return;
    const end = this.#open(arrival(), () => this.#routes.ofUrl(String(headers[':method'] ?? ''), path));
    if (end !== null) stream.once('close', () => end(endOfStream(stream)));
  }

  #mark(name: unknown, work: () => unknown): unknown {
    const known = typeof name === 'string' && name !== '' ? name : '(unnamed)';
    const end = this.#open(now(), () => this.#routes.named(known));
    if (end === null) return work();
    const succeed = (value: unknown): unknown => {
      end(KIND.answered);
      return value;
    };
    const fail = (error: unknown): never => {
      end(KIND.failed);
      throw error;
    };
    let result: unknown;
    try {
      result = work();
    } catch (error) {
      return fail(error);
    }
    if (!util.types.isPromise(result)) return succeed(result);
    // One that settles as the first does: to watch the first alone would count as handling its rejection, which Node then
    // reports to nobody. Some libraries put more on their promises.
    return Object.defineProperties(result.then(succeed, fail), Object.getOwnPropertyDescriptors(result));
  }
}

const PEER_GONE: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ETIMEDOUT']);

const isPeerGone = ({ errored, readableEnded }: Socket): boolean =>
  readableEnded || PEER_GONE.has((errored as NodeJS.ErrnoException | null)?.code);

const kindOf = (status: unknown): End => (Number(status) >= 500 ? KIND.failed : KIND.answered);

const endOfStream = ({ aborted, rstCode, sentHeaders }: ServerHttp2Stream): End => {
  if (!aborted && rstCode === 0 && sentHeaders !== undefined) return kindOf(sentHeaders[':status']);
  return rstCode === 0 || rstCode === CANCEL ? KIND.aborted : KIND.failed;
};

export = RequestMeter;
