import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';

import channels = require('node:diagnostics_channel');
import net = require('node:net');
import util = require('node:util');
import now = require('../../target/child/clock.cjs');
import labels = require('../../target/child/labels.cjs');
import stamp = require('../../target/child/stamp.cjs');
import rings = require('./ring.cjs');

type Writer = InstanceType<typeof rings.RingWriter>;
type Routes = InstanceType<typeof labels.Routes>;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

const { KIND } = rings;
/** Where `plimsoll/mark` finds whoever listens. */
const MARK = Symbol.for('plimsoll.mark');
/** NGHTTP2_CANCEL, of RFC 9113: the client wants no answer any more. */
const CANCEL = 8;

/** `route x MOST_OPEN + slot` of an open request, on its response: a number needs no memory of its own. */
const stamps = stamp<number>();

let arrivedAt = 0;
const forgetArrival = (): void => {
  arrivedAt = 0;
};

/**
 * When what arrives now was there: of all that the event loop finds in one turn, when the first was taken. The others were
 * there, too, but had to wait for what came before them.
 */
function arrival(): number {
  if (arrivedAt === 0) {
    arrivedAt = now();
    // One with a reference would make the loop look for events once more before it waits.
    setImmediate(forgetArrival).unref();
  }
  return arrivedAt;
}

/**
 * Counts the requests of this thread: over HTTP/1, over HTTP/2, and what the program marks. No async hooks, and for each
 * request two calls by diagnostics channels and one field.
 */
class RequestMeter {
  readonly #ring: Writer;
  readonly #routes: Routes;
  /** Responses of open requests by their slots: one that is cut off tells no channel. */
  readonly #responses: (ServerResponse | undefined)[] = [];
  readonly #undo: (() => void)[] = [];

  constructor(ring: Writer, tellRoute: (route: number, name: string) => void) {
    this.#ring = ring;
    this.#routes = new labels.Routes(tellRoute);
  }

  start(): void {
    this.#subscribe('http.server.request.start', (exchange) => this.#begin(exchange));
    this.#subscribe('http.server.response.finish', ({ response }) =>
      this.#end(response, kindOf(response.statusCode)),
    );
    this.#watchHttp2();
    this.#watchMarks();
  }

  stop(): void {
    for (const undo of this.#undo.splice(0)) undo();
  }

  /** End what was cut off, of which nobody hears. */
  sweep(): void {
    const responses = this.#responses;
    for (let slot = 0; slot < responses.length; slot++) {
      const response = responses[slot];
      if (response?.destroyed !== true || response.writableFinished) continue;
      this.#end(response, isPeerGone(response.req.socket) ? KIND.aborted : KIND.failed);
    }
  }

  #subscribe(name: string, listener: (exchange: Exchange) => void): void {
    const subscriber = (message: unknown): void => listener(message as Exchange);
    channels.subscribe(name, subscriber);
    this.#undo.push(() => channels.unsubscribe(name, subscriber));
  }

  #begin({ request, response }: Exchange): void {
    const slot = this.#ring.begin(arrival());
    if (slot === -1) return;
    const route = this.#routes.ofUrl(request.method ?? '', request.url ?? '');
    stamps.put(response, route * rings.MOST_OPEN + slot);
    this.#responses[slot] = response;
  }

  #end(response: ServerResponse, kind: 0 | 1 | 2): void {
    const open = stamps.get(response);
    if (open === undefined) return;
    const slot = open % rings.MOST_OPEN;
    if (this.#responses[slot] !== response) return;
    this.#responses[slot] = undefined;
    this.#ring.end(slot, now(), (open - slot) / rings.MOST_OPEN, kind);
  }

  /** Servers of http2 inherit from net.Server; the channels of streams are younger than the oldest line of Node. */
  #watchHttp2(): void {
    const { prototype } = net.Server;
    const original = prototype.emit as (this: EventEmitter, ...args: unknown[]) => boolean;
    const meter = this;
    const emit = function (this: EventEmitter, ...args: unknown[]): boolean {
      if (args[0] === 'stream')
        meter.#stream(args[1] as ServerHttp2Stream, args[2] as Record<string, unknown>);
      return Reflect.apply(original, this, args);
    };
    this.#define(prototype, 'emit', { value: emit, writable: true });
  }

  #define(object: object, key: PropertyKey, descriptor: PropertyDescriptor): void {
    const earlier = Object.getOwnPropertyDescriptor(object, key);
    Object.defineProperty(object, key, { ...descriptor, configurable: true });
    this.#undo.push(() => {
      // Who came later and calls this one keeps it.
      if (Reflect.get(object, key) !== descriptor.value) return;
      if (earlier === undefined) Reflect.deleteProperty(object, key);
      else Object.defineProperty(object, key, earlier);
    });
  }

  #stream(stream: ServerHttp2Stream, headers: Readonly<Record<string, unknown>>): void {
    if (typeof stream?.once !== 'function' || typeof headers?.[':path'] !== 'string') return;
    const slot = this.#ring.begin(arrival());
    if (slot === -1) return;
    const route = this.#routes.ofUrl(String(headers[':method'] ?? ''), headers[':path']);
    const end = this.#ender(slot, route);
    stream.once('finish', () => {
      if (stream.headersSent && stream.rstCode === 0) end(kindOf(stream.sentHeaders?.[':status']));
    });
    stream.once('close', () => end(endOfCut(stream)));
  }

  /** A slot is free once it has ended: once only. */
  #ender(slot: number, route: number): (kind: 0 | 1 | 2) => void {
    let isOver = false;
    return (kind) => {
      if (!isOver) this.#ring.end(slot, now(), route, kind);
      isOver = true;
    };
  }

  #watchMarks(): void {
    const value = (name: unknown, work: () => unknown): unknown =>
      this.#mark(typeof name === 'string' && name !== '' ? name : '(unnamed)', work);
    this.#define(globalThis, MARK, { value });
  }

  #mark(name: string, work: () => unknown): unknown {
    const slot = this.#ring.begin(now());
    if (slot === -1) return work();
    const route = this.#routes.named(name);
    const end = this.#ender(slot, route);
    let result: unknown;
    try {
      result = work();
    } catch (error) {
      end(KIND.failed);
      throw error;
    }
    return whenSettled(result, (isFulfilled) => end(isFulfilled ? KIND.answered : KIND.failed));
  }
}

type Then = (fulfilled?: unknown, rejected?: unknown) => unknown;

/**
 * Tell when a result has settled; at once for what is no promise.
 *
 * @returns the result; of a promise, one that settles as it does: to watch the first alone would count as handling its
 *   rejection, which Node then reports to nobody. Another thenable may begin only when it is asked for its value.
 */
function whenSettled(result: unknown, tell: (isFulfilled: boolean) => void): unknown {
  const { then } = (result ?? {}) as { then?: unknown };
  if (typeof then !== 'function') {
    tell(true);
    return result;
  }
  const watching: Then = (fulfilled, rejected) =>
    then.call(
      result,
      (value: unknown) => {
        tell(true);
        return typeof fulfilled === 'function' ? fulfilled(value) : value;
      },
      (reason: unknown) => {
        tell(false);
        if (typeof rejected === 'function') return rejected(reason);
        throw reason;
      },
    );
  // Some libraries put more on their promises.
  if (util.types.isPromise(result))
    return Object.defineProperties(watching() as object, Object.getOwnPropertyDescriptors(result));
  if (
    !Reflect.defineProperty(result as object, 'then', { value: watching, writable: true, configurable: true })
  )
    tell(true);
  return result;
}

const PEER_GONE: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ETIMEDOUT']);

const isPeerGone = ({ errored, readableEnded }: Socket): boolean =>
  readableEnded || PEER_GONE.has((errored as NodeJS.ErrnoException | null)?.code);

const kindOf = (status: unknown): 0 | 1 => (Number(status) >= 500 ? KIND.failed : KIND.answered);

const endOfCut = ({ aborted, rstCode, sentHeaders }: ServerHttp2Stream): 0 | 1 | 2 => {
  if (!aborted && rstCode === 0 && sentHeaders !== undefined) return kindOf(sentHeaders[':status']);
  return rstCode === 0 || rstCode === CANCEL ? KIND.aborted : KIND.failed;
};

export = RequestMeter;
