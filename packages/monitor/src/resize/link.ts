import {
  BroadcastChannel,
  isMainThread,
  type MessagePort,
  receiveMessageOnPort,
  threadId,
} from 'node:worker_threads';
import { ResizeError, unavailable } from '../errors.js';
import { clock, isInTime } from './deadline.js';
import type { Request, ToEngine, ToThreads } from './messages.js';
import type { RescueChange } from './rescuer.js';
import { ENGINE, STARTER } from './source.js';
import { startEngine } from './start-engine.js';
import { EngineState, NAME } from './state.js';

/** A running engine answers sooner, unless every core is busy; starting it twice does no harm. */
const ANSWER_MS = 100;
const NUDGE_MS = 20;

interface Call {
  resolve(): void;
  reject(error: ResizeError): void;
}

type Channel = BroadcastChannel & { ref(): void; unref(): void };

/** A thread's connection to the engine, which is a Worker of the main thread. */
export class Link {
  readonly #channel = new BroadcastChannel(NAME) as Channel;
  readonly #calls = new Map<string, Call>();
  readonly #onGone: () => void;
  #ready: Promise<void> | undefined;
  #start: Call | undefined;
  #pending = 0;
  #nextId = 0;
  /** Undefined until the engine has answered. */
  state: EngineState | undefined;
  reason: string | undefined;
  onRescue: ((change: RescueChange) => void) | undefined;

  constructor(onGone: () => void) {
    this.#onGone = onGone;
    this.#channel.onmessage = ({ data }: { data: unknown }) => this.#receive(data as ToEngine | ToThreads);
    this.#channel.unref();
  }

  /** @throws ResizeError */
  async request(request: Request): Promise<void> {
    // A call under way keeps the process alive, like any job; the engine does not.
    if (this.#pending++ === 0) this.#channel.ref();
    try {
      this.#ready ??= this.#connect();
      if (!(await isInTime(this.#ready, request.deadline)))
        throw new ResizeError(
          'PLIMSOLL_MONITOR_RESIZE_TIMEOUT',
          'the pool was not resized in time: the resizing thread has not started yet',
        );
      const id = `${process.pid}-${threadId}-${this.#nextId++}`;
      await new Promise<void>((resolve, reject) => {
        this.#calls.set(id, { resolve, reject });
        this.#post({ to: 'engine', id, ...request });
      });
    } finally {
      if (--this.#pending === 0) this.#channel.unref();
    }
  }

  /** At exit, handles the messages that the stopped event loop would not deliver. */
  drain(): void {
    const port = this.#channel as unknown as MessagePort;
    for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port))
      this.#receive(next.message);
  }

  async #connect(): Promise<void> {
    const ready = new Promise<void>((resolve, reject) => {
      this.#start = { resolve, reject };
    });
    try {
      if (isMainThread) startEngine(ENGINE);
      this.#post({ to: 'engine', hello: true });
      if (!isMainThread && !(await isInTime(ready, clock() + ANSWER_MS))) {
        await startInMainThread();
        this.#post({ to: 'engine', hello: true });
      }
    } catch (error) {
      this.#ready = undefined;
      throw unavailable(error instanceof Error ? error.message : String(error));
    }
    await ready;
  }

  #receive(message: ToEngine | ToThreads): void {
    if (message.to !== 'threads') return;
    if ('ready' in message) {
      this.state ??= new EngineState(message.ready);
      this.reason = message.reason;
      this.#start?.resolve();
    } else if ('gone' in message) this.#end(message.gone);
    else if ('rescue' in message) this.onRescue?.(message.rescue);
    else {
      const call = this.#calls.get(message.id);
      this.#calls.delete(message.id);
      const { error } = message;
      if (error === undefined) call?.resolve();
      else call?.reject(new ResizeError(error.code, error.message));
    }
  }

  #end(reason: string): void {
    this.#channel.close();
    this.#onGone();
    const error = unavailable(`the resizing thread has ended: ${reason}`);
    for (const call of [this.#start, ...this.#calls.values()]) call?.reject(error);
  }

  #post(message: ToEngine): void {
    this.#channel.postMessage(message);
  }
}

/**
 * Uses the inspector, because the main thread may not have loaded this package. It interrupts that thread
 * anywhere, even while Node writes its queue of ticks, where one more tick would stop the queue forever; so
 * the code runs in a microtask. An idle thread runs microtasks only after its next event, which the nudges
 * provide.
 */
async function startInMainThread(): Promise<void> {
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  session.connectToMainThread();
  const evaluate = (expression: string) =>
    session.post('Runtime.evaluate', { expression, awaitPromise: true });
  const nudge = setInterval(() => void evaluate('0').catch(() => {}), NUDGE_MS);
  try {
    const { exceptionDetails } = await evaluate(
      `(async () => { await undefined; (${STARTER}).startEngine(${JSON.stringify(ENGINE)}) })()\n//# sourceURL=plimsoll-resize`,
    );
    if (exceptionDetails !== undefined)
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  } finally {
    clearInterval(nudge);
    session.disconnect();
  }
}
