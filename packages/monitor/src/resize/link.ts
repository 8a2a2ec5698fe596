import {
  BroadcastChannel,
  isMainThread,
  type MessagePort,
  receiveMessageOnPort,
  threadId,
} from 'node:worker_threads';
import { ResizeError, unavailable } from '../errors.js';
import { clock, isInTime } from './deadline.js';
import { startEngine } from './home.js';
import type { Request, ToEngine, ToThreads } from './messages.js';
import type { RescueChange } from './rescuer.js';
import { ENGINE, HOME } from './source.js';
import { EngineState, NAME } from './state.js';

/** An engine that runs answers sooner, unless every core is busy; then the main thread is asked once more, which does no harm. */
const ANSWER_MS = 100;
const NUDGE_MS = 20;

interface Call {
  resolve(): void;
  reject(error: ResizeError): void;
}

/** What Node's type of it lacks. */
type Channel = BroadcastChannel & { ref(): void; unref(): void };

/** From a thread of the process to the engine, which lives in a thread of the main thread's. */
export class Link {
  readonly #channel = new BroadcastChannel(NAME) as Channel;
  readonly #calls = new Map<string, Call>();
  readonly #onGone: () => void;
  #isReady: Promise<void> | undefined;
  #start: Call | undefined;
  #pending = 0;
  #count = 0;
  /** Undefined before the engine has answered. */
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
    // A call under way keeps the process alive, as other jobs do; the engine does not.
    if (this.#pending++ === 0) this.#channel.ref();
    try {
      this.#isReady ??= this.#connect();
      if (!(await isInTime(this.#isReady, request.deadline)))
        throw new ResizeError(
          'PLIMSOLL_MONITOR_RESIZE_TIMEOUT',
          'the pool was not resized in time: the thread that does it has not started yet',
        );
      const id = `${process.pid}-${threadId}-${this.#count++}`;
      await new Promise<void>((resolve, reject) => {
        this.#calls.set(id, { resolve, reject });
        this.#post({ to: 'engine', id, ...request });
      });
    } finally {
      if (--this.#pending === 0) this.#channel.unref();
    }
  }

  /** Takes what has arrived and could not be handed over yet, at the exit. */
  drain(): void {
    const port = this.#channel as unknown as MessagePort;
    for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port))
      this.#receive(next.message);
  }

  async #connect(): Promise<void> {
    const isReady = new Promise<void>((resolve, reject) => {
      this.#start = { resolve, reject };
    });
    try {
      if (isMainThread) startEngine(ENGINE);
      this.#post({ to: 'engine', hello: true });
      if (!isMainThread && !(await isInTime(isReady, clock() + ANSWER_MS))) {
        await startInMainThread();
        this.#post({ to: 'engine', hello: true });
      }
    } catch (error) {
      this.#isReady = undefined;
      throw unavailable(error instanceof Error ? error.message : String(error));
    }
    await isReady;
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
    const error = unavailable(`the thread that does it has ended: ${reason}`);
    for (const call of [this.#start, ...this.#calls.values()]) call?.reject(error);
  }

  #post(message: ToEngine): void {
    this.#channel.postMessage(message);
  }
}

/**
 * By the inspector, since the main thread need not have loaded this package. It interrupts that thread anywhere, even where Node is
 * about to write its queue of ticks: a tick that is added there stops the queue for ever. Microtasks wait until the program's callback
 * has returned; a thread that waits for events works them off after the next one, which may be another evaluation.
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
      `(async () => { await undefined; (${HOME}).startEngine(${JSON.stringify(ENGINE)}) })()\n//# sourceURL=plimsoll-resize`,
    );
    if (exceptionDetails !== undefined)
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  } finally {
    clearInterval(nudge);
    session.disconnect();
  }
}
