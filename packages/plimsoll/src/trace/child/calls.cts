// Who calls: the stack and the request of whatever may bring a job to the pool. In the app's own thread, beside its code.
import type { IncomingMessage } from 'node:http';
import type { Calls } from './lines.cjs';

import hooks = require('node:async_hooks');
import channels = require('node:diagnostics_channel');
import labels = require('../../target/child/labels.cjs');
import stamp = require('../../target/child/stamp.cjs');
import log = require('./log.cjs');

/** Resources that never bring a job themselves; the work of an add-on has any name that it likes. */
const NEVER = new Set(
  `PROMISE TickObject Timeout Immediate Microtask FILEHANDLE DNSCHANNEL QUERYWRAP HTTPINCOMINGMESSAGE HTTPCLIENTREQUEST
  TCPWRAP TCPSERVERWRAP TCPCONNECTWRAP SHUTDOWNWRAP WRITEWRAP PIPEWRAP TLSWRAP HTTP2SESSION HTTP2STREAM HTTP2PING
  MESSAGEPORT WORKER PROCESSWRAP SIGNALWRAP TTYWRAP UDPWRAP UDPSENDWRAP`.split(/\s+/),
);
/** So many stacks a second are taken; of more calls some, at random, which stand for the others. */
const STACKS_PER_SECOND = 2000;
const MOST_STACKS = 5000;
const MOST_FRAMES = 32;
/** Calls that wait to be fetched by the recorder; each is a time, a request and a stack. */
const ROOM = 32_768;
const FIELDS = 3;
const UNSEEN = -1;
const NONE = 0;

/** Microseconds on the clock of events, to the fraction: who called first must be told. */
function microseconds(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e6 + nanoseconds / 1000;
}

const shared = (): Calls => ({
  count: new Int32Array(new SharedArrayBuffer(4)),
  entries: new Float64Array(new SharedArrayBuffer(8 * FIELDS * ROOM)),
});

/** What was written since, in base64; `null` when nothing was. What was overwritten before it was read is lost. */
function fetch({ count, entries }: Calls, since: number): { text: string; to: number } | null {
  const to = Atomics.load(count, 0);
  if (to === since) return null;
  const from = Math.max(since, to - ROOM);
  const copy = new Float64Array(FIELDS * (to - from));
  for (let index = 0; index < copy.length; index++)
    copy[index] = entries[(FIELDS * from + index) % entries.length] as number;
  return { text: Buffer.from(copy.buffer).toString('base64'), to };
}

/** @param file where stacks and names of requests are told, each once. */
function watch({ count, entries }: Calls, file: string): void {
  const requests = new hooks.AsyncLocalStorage<number>();
  /** The stack that led to a resource, for what its callback calls. */
  const origins = stamp<number>();
  const routes = new labels.Routes((number, name) => log.append(file, [{ type: 'request', number, name }]));
  const stacks = new Stacks(file);

  const note = (stack: number): void => {
    const written = count[0] as number;
    const at = FIELDS * (written % ROOM);
    entries[at] = microseconds();
    entries[at + 1] = requests.getStore() ?? NONE;
    entries[at + 2] = stack;
    Atomics.store(count, 0, written + 1);
  };
  /** A handle of zlib brings a job with every write. */
  const noteWrites = (handle: { write?(...args: unknown[]): unknown }, made: number): void => {
    const { write } = handle;
    if (typeof write !== 'function') return;
    handle.write = function (this: unknown, ...args) {
      note(stacks.take(made));
      return Reflect.apply(write, this, args);
    };
  };
  const init = (type: string, resource: object): void => {
    const origin = origins.get(hooks.executionAsyncResource()) ?? NONE;
    const isCall = !NEVER.has(type);
    // A stream opens its file a tick after it was made.
    const isOpening =
      type === 'TickObject' && (resource as { callback?: () => void }).callback?.name === 'constructNT';
    const stack = isCall || isOpening ? stacks.take(origin) : origin;
    if (stack !== NONE) origins.put(resource, stack);
    if (type === 'ZLIB') noteWrites(resource, stack);
    else if (isCall) note(stack);
  };
  const options = {
    // Where promises need not be followed they are not: requests have a storage of their own, and V8 tells who awaits.
    trackPromises: false,
    init(_id: number, type: string, _trigger: number, resource: object): void {
      try {
        init(type, resource);
      } catch {
        // What is thrown in here ends the process.
        hook.disable();
      }
    },
  };
  const hook = hooks.createHook(options).enable();
  channels.subscribe('http.server.request.start', (message) => {
    const { method = '', url = '' } = (message as { request: IncomingMessage }).request;
    requests.enterWith(routes.ofUrl(method, url));
  });
  // Where `plimsoll/mark` looks for a listener.
  Object.defineProperty(globalThis, Symbol.for('plimsoll.mark'), {
    configurable: true,
    value: (name: unknown, work: () => unknown) => requests.run(routes.named(String(name)), work),
  });
}

const PACKAGE = /^.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/;

/** A package as a whole, of the app function and place; nothing of Node itself. */
function frameOf(site: NodeJS.CallSite): string | null {
  const file = site.getFileName();
  if (file == null || file === __filename || file.startsWith('node:')) return null;
  const place = `${file}:${site.getLineNumber()}:${site.getColumnNumber()}`;
  return PACKAGE.exec(file)?.[1] ?? `${site.getFunctionName() ?? ''}\t${place}`;
}

class Stacks {
  readonly #file: string;
  readonly #numbers = new Map<string, number>();
  /** From the outside in. */
  readonly #frames: (readonly string[])[] = [[]];
  #share = 1;
  #second = 0;
  #calls = 0;
  #seed = 1;

  constructor(file: string) {
    this.#file = file;
  }

  /** The number of the stack that calls now. What only packages or Node itself called goes on where it came from. */
  take(origin: number): number {
    if (!this.#isChosen()) return UNSEEN;
    const frames = framesNow();
    if (frames.length === 0) return origin;
    if (frames.some((frame) => frame.includes('\t'))) return this.#numberOf(frames);
    const before = this.#frames[origin] ?? [];
    return this.#numberOf([...before, ...frames.filter((frame) => !before.includes(frame))]);
  }

  #isChosen(): boolean {
    const second = Math.floor(microseconds() / 1e6);
    if (second !== this.#second) {
      this.#share = Math.min(1, STACKS_PER_SECOND / this.#calls);
      [this.#second, this.#calls] = [second, 0];
    }
    this.#calls++;
    // Not Math.random, whose numbers are the app's.
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#seed < this.#share * 2 ** 32 && (this.#share < 1 || this.#calls <= STACKS_PER_SECOND);
  }

  #numberOf(frames: readonly string[]): number {
    const key = frames.join('\n');
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#frames.length;
    if (number > MOST_STACKS) return UNSEEN;
    this.#frames.push(frames);
    this.#numbers.set(key, number);
    log.append(this.#file, [{ type: 'stack', number, frames }]);
    return number;
  }
}

/** From the outside in. */
function framesNow(): string[] {
  const { prepareStackTrace, stackTraceLimit } = Error;
  const holder: { stack?: NodeJS.CallSite[] } = {};
  try {
    Error.prepareStackTrace = (_, sites) => sites;
    Error.stackTraceLimit = MOST_FRAMES;
    Error.captureStackTrace(holder, framesNow);
    const frames = (holder.stack ?? []).map(frameOf).reverse();
    return frames.filter((frame, index) => frame !== null && frame !== frames[index - 1]) as string[];
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    Error.prepareStackTrace = prepareStackTrace;
  }
}

export = { shared, fetch, watch };
