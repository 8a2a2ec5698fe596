import { timers } from '../shared/timers.js';
import { closed, startFailure } from './faults.js';
import type { State } from './state.js';
import { plan, readyCount } from './workers.js';

const settled = Promise.resolve();

/** A promise that somebody waits for, and that keeps the process alive as a task does. */
class Waiting {
  readonly promise: Promise<void>;
  #resolve!: () => void;
  #reject!: (reason: unknown) => void;
  readonly #hold = timers.hold();

  constructor() {
    this.#hold.ref();
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  fulfil(): undefined {
    this.#hold.close();
    this.#resolve();
  }

  reject(reason: unknown): undefined {
    this.#hold.close();
    this.#reject(reason);
  }
}

/** What others wait for: that workers are ready, that there is room, that nothing is under way. */
export class Waits {
  /** Every worker is busy: a further task would wait. */
  needsDrain = false;
  readonly #state: State;
  readonly #emit: (event: 'needsDrain' | 'drain') => void;
  #ready: Waiting | undefined;
  #idle: Waiting | undefined;
  #room: Waiting | undefined;

  constructor(state: State, emit: (event: 'needsDrain' | 'drain') => void) {
    this.#state = state;
    this.#emit = emit;
  }

  /** A task more would wait, however many workers were started. */
  get isFull(): boolean {
    return this.#state.waiting(this.#state.options.maxThreads, 1) > 0;
  }

  get #isEmpty(): boolean {
    return this.#state.outstanding === 0 && this.#state.streams.size === 0;
  }

  get #isReady(): boolean {
    return readyCount(this.#state) >= this.#state.options.minThreads;
  }

  /** Does anybody wait for the end of tasks? */
  get isAwaited(): boolean {
    return this.needsDrain || this.#room !== undefined || this.#idle !== undefined;
  }

  setNeedsDrain(needed: boolean): void {
    this.needsDrain = needed;
    void settled.then(() => this.#emit(needed ? 'needsDrain' : 'drain'));
  }

  /** As many workers as there must be are ready. Rejects with why one could not start; who asks again waits for another attempt. */
  ready(): Promise<void> {
    const state = this.#state;
    if (state.closing) return Promise.reject(closed());
    if (this.#isReady) return Promise.resolve();
    this.#ready ??= new Waiting();
    const { promise } = this.#ready;
    plan(state, true);
    // Nobody will come.
    if (state.workers.length === 0)
      this.notReady(
        state.guard.refusal(undefined, false) ?? startFailure(new Error('Node refuses to make one')),
      );
    return promise;
  }

  /** No worker will be ready. */
  notReady(reason: unknown): void {
    this.#ready = this.#ready?.reject(reason);
  }

  /** A further task would not wait. */
  room(): Promise<void> {
    if (this.#state.closing) return Promise.reject(closed());
    if (!this.isFull) return Promise.resolve();
    this.#attend();
    this.#room ??= new Waiting();
    return this.#room.promise;
  }

  /** No task is under way, and no stream is open. */
  idle(): Promise<void> {
    if (this.#isEmpty) return Promise.resolve();
    this.#attend();
    this.#idle ??= new Waiting();
    return this.#idle.promise;
  }

  /** Whoever waits until tasks have ended hears of each that does. */
  #attend(): void {
    this.#state.onEnd ??= () => this.#answer();
  }

  /** It may have come about. */
  check(): void {
    if (this.needsDrain !== this.isFull && !this.#state.closing) this.setNeedsDrain(!this.needsDrain);
    if (this.#ready !== undefined && this.#isReady) this.#ready = this.#ready.fulfil();
    this.#answer();
  }

  /** Resolves promises, and calls nobody: it may be in the middle of a dispatch. */
  #answer(): void {
    if (this.#idle !== undefined && this.#isEmpty) this.#idle = this.#idle.fulfil();
    if (this.#room !== undefined && !this.isFull) this.#room = this.#room.fulfil();
  }

  /** Everything has ended: nobody waits for room any more. */
  end(): void {
    this.check();
    this.#room = this.#room?.fulfil();
  }
}
