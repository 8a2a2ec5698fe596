import type { checkRescue } from '../options.js';
import type { PoolMemory } from '../worker/pool-memory.js';
import { type Activity, compareActivity, readActivity } from './activity.js';
import { clock } from './deadline.js';
import { type EngineState, slowLimit } from './state.js';

/** Options with their defaults. */
export type RescueSettings = ReturnType<typeof checkRescue>;

/** One change of the size, `at` a time of `Date.now()`; of one that failed, `size` is what was wanted. */
export interface RescueChange {
  readonly type: 'grow' | 'shrink' | 'failed';
  readonly from: number;
  readonly size: number;
  /** Threads that were blocked. */
  readonly blocked: number;
  readonly reason: string;
  readonly at: number;
}

export interface RescueStatus {
  /** Threads while none is blocked, now, and at the most. */
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
  /** The status has changed, by a change of size or without one. */
  onChange(change: RescueChange | undefined): void;
}

/** From one look to the next: the jobs that came last into the queues, and what the threads had done by then. */
interface Round {
  readonly since: number;
  readonly fast: number;
  readonly slow: number;
  readonly threads: ReadonlyMap<number, Activity>;
}

/** More than that no shrinking waits for jobs: there is no rescue meanwhile. */
const SHRINK_MS = 5000;
const GROW_MS = 30_000;

/**
 * The rule. Every `waitMs` it looks whether a job waits, and what each thread of the pool has done. Threads are added when a job
 * that waited at one look still does at the next one; threads were blocked meanwhile, in the kernel without a moment of CPU; and
 * those that ran had cores. The pool gets one more for each that is blocked, twice as many when lookups wait for their share, which
 * is half of the threads. They are given back when they were not needed for `holdMs`.
 */
export class Rescuer {
  readonly #settings: RescueSettings;
  readonly #parts: RescuerParts;
  readonly #changes = { grown: 0, shrunk: 0, last: undefined as RescueChange | undefined };
  #base: number;
  #round: Round | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  /** Threads for each blocked one. */
  #factor = 1;
  /** When all threads were needed for the last time, and how many were at the most since. */
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

  /** @returns the size to go back to */
  stop(): number {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#parts.state.blocked = undefined;
    return this.#base;
  }

  /** Somebody else wants another size. */
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
    const { inFutex, elsewhere, hasCores } = compareActivity(threads);
    const { size, busy } = pool.counters();
    const parked = state.real - state.size;
    const blocked = Math.max(0, elsewhere - parked) + Math.max(0, inFutex - (size - busy));
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
