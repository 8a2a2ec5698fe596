import type { checkRescue } from '../options.js';
import type { PoolMemory } from '../worker/pool-memory.js';
import { type Activity, compareActivity, readActivity } from './activity.js';
import { clock } from './deadline.js';
import { type EngineState, slowLimit } from './state.js';

export type RescueSettings = ReturnType<typeof checkRescue>;

/** A change of the size, `at` a time of `Date.now()`; if it failed, `size` is the size that it wanted. */
export interface RescueChange {
  readonly type: 'grow' | 'shrink' | 'failed';
  readonly from: number;
  readonly size: number;
  readonly blocked: number;
  readonly reason: string;
  readonly at: number;
}

export interface RescueStatus {
  /** Threads while none is blocked, now, and at most. */
  readonly base: number;
  readonly size: number;
  readonly max: number;
  readonly grown: number;
  readonly shrunk: number;
  readonly last: RescueChange | undefined;
}

interface RescuerParts {
  readonly state: EngineState;
  readonly pool: PoolMemory;
  ids(): readonly number[];
  resize(size: number, deadline: number): Promise<void>;
  /** Called after each change of the status, with the change of the size if there was one. */
  onChange(change: RescueChange | undefined): void;
}

/** The state at a look, for the next one: the last job of each queue, and the activity of the threads. */
interface Round {
  readonly since: number;
  readonly fast: number;
  readonly slow: number;
  readonly threads: ReadonlyMap<number, Activity>;
}

/** Shrinking waits no longer than this for jobs, because the rescue cannot grow the pool in the meantime. */
const SHRINK_MS = 5000;
const GROW_MS = 30_000;

/**
 * The rule. Every `waitMs` the rescuer looks at queues and threads. It adds threads if a job that waited at
 * one look still waits at the next, if threads were blocked in the kernel between the two, without a moment
 * of CPU, and if the threads that ran had cores: one per blocked thread, or two if lookups wait, as these may
 * use only half of the threads. It removes threads that were not needed for `holdMs`.
 */
export class Rescuer {
  readonly #settings: RescueSettings;
  readonly #parts: RescuerParts;
  readonly #changes = { grown: 0, shrunk: 0, last: undefined as RescueChange | undefined };
  #base: number;
  #round: Round | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  /** Extra threads per blocked thread. */
  #factor = 1;
  /** When all threads were last needed, and the most that were needed since. */
  #since = clock();
  #most: number;

  constructor(settings: RescueSettings, parts: RescuerParts) {
    this.#settings = settings;
    this.#parts = parts;
    this.#base = settings.size;
    this.#most = settings.size;
  }

  get status(): RescueStatus {
    const { size } = this.#parts.state;
    return { base: this.#base, size, max: this.#settings.max, ...this.#changes };
  }

  start(): void {
    this.#parts.state.blocked = 0;
    this.#parts.onChange(undefined);
    this.#arm();
  }

  /** @returns the size to return to */
  stop(): number {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#parts.state.blocked = undefined;
    return this.#base;
  }

  /** A resize from outside the rescue sets a new base. */
  rebase(size: number): void {
    this.#base = size;
    this.#round = undefined;
    this.#parts.onChange(undefined);
  }

  #arm(): void {
    this.#round = this.#begin();
    this.#timer = setTimeout(() => void this.#look(), this.#settings.waitMs);
  }

  async #look(): Promise<void> {
    if (this.#round !== undefined) await this.#judge(this.#round);
    if (!this.#isStopped) this.#arm();
  }

  /** Nothing more is looked at while no job waits and no thread was added. */
  #begin(): Round | undefined {
    const { pool, ids, state } = this.#parts;
    const [fast, slow] = [pool.newest('queue'), pool.newest('slowQueue')];
    if (fast !== 0 || slow !== 0 || state.size > this.#base)
      return { since: clock(), fast, slow, threads: readActivity(ids()) };
    state.blocked = 0;
    return undefined;
  }

  async #judge({ since, fast, slow, threads }: Round): Promise<void> {
    const { pool, state } = this.#parts;
    const { max, holdMs } = this.#settings;
    const { inFutex, inOtherCalls, hasCores } = compareActivity(threads, (clock() - since) * 1e6);
    const { size, busy } = pool.counters();
    const parked = state.real - state.size;
    const blocked = Math.max(0, inOtherCalls - parked) + Math.max(0, inFutex - (size - busy));
    state.blocked = blocked;
    const slowWaits = slow !== 0 && pool.waits('slowQueue', slow);
    const isWaiting = slowWaits || (fast !== 0 && pool.waits('queue', fast));
    // A lookup also waits when nothing has a thread, as the monitor's own does now and then.
    const lookupsWait = slowWaits && blocked >= slowLimit(state.size) && blocked < state.size;
    if (lookupsWait) this.#factor = 2;
    const wanted = Math.max(this.#base, Math.min(max, this.#base + blocked * this.#factor));
    const held = blocked === 1 ? '1 thread was blocked' : `${blocked} threads were blocked`;
    if (isWaiting && wanted > state.size && hasCores) {
      const waited = `${lookupsWait ? 'lookups' : 'jobs'} waited ${Math.round(clock() - since)} ms`;
      await this.#change('grow', wanted, blocked, `${waited}, and ${held}`);
    } else if (wanted >= state.size) this.#restart();
    else {
      this.#most = Math.max(this.#most, wanted);
      if (clock() - this.#since < holdMs) return;
      await this.#change('shrink', this.#most, blocked, `${held}, and no more were needed for ${holdMs} ms`);
    }
  }

  async #change(type: 'grow' | 'shrink', size: number, blocked: number, reason: string): Promise<void> {
    const { resize, onChange, state } = this.#parts;
    const change = { from: state.size, size, blocked, reason, at: Date.now() };
    const most = type === 'grow' ? GROW_MS : Math.min(SHRINK_MS, Math.max(1000, this.#settings.holdMs));
    try {
      await resize(size, clock() + most);
      this.#changes[type === 'grow' ? 'grown' : 'shrunk']++;
      this.#changes.last = { type, ...change };
      if (size <= this.#base) this.#factor = 1;
      onChange(this.#changes.last);
    } catch (error) {
      onChange({ type: 'failed', ...change, reason: `${reason}; ${(error as Error).message}` });
    }
    this.#restart();
  }

  #restart(): void {
    this.#since = clock();
    this.#most = this.#base;
  }
}
