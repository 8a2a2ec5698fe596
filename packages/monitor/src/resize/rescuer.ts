import type { PoolMemory } from '../worker/pool-memory.js';
import { type Activity, compareActivity, readActivity } from './activity.js';
import { clock } from './messages.js';
import type { EngineState } from './state.js';

/** In threads and milliseconds; `size` and `max` are its bounds. */
export interface RescueSettings {
  readonly size: number;
  readonly max: number;
  readonly waitMs: number;
  readonly holdMs: number;
}

/** One change of the size. */
export interface RescueChange {
  readonly type: 'grow' | 'shrink' | 'failed';
  /** Threads before and after; of one that failed, those wanted. */
  readonly from: number;
  readonly size: number;
  /** Threads that were blocked. */
  readonly blocked: number;
  /** In words. */
  readonly reason: string;
  /** Of `Date.now()`. */
  readonly at: number;
}

export interface RescueStatus extends Pick<RescueSettings, 'max'> {
  /** Threads while none is blocked, and now. */
  readonly base: number;
  readonly size: number;
  readonly grown: number;
  readonly shrunk: number;
  readonly last: RescueChange | undefined;
}

/** What a rescuer watches, and what it may do. */
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
 * those that ran had cores. The pool gets one more for each that is blocked, so that as many as before serve the rest: twice as many
 * when lookups wait, which may have half of the threads. They are given back when they were not needed for `holdMs`.
 *
 * A queue that is long because threads compute has no blocked thread, so it gets none more. The size is never above `max`.
 */
export class Rescuer {
  readonly #settings: RescueSettings;
  readonly #parts: RescuerParts;
  #base: number;
  #round: Round | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  /** Threads for each blocked one. */
  #factor = 1;
  /** When all threads were needed for the last time, and how many were at the most since. */
  #since = clock();
  #most = 0;
  #status: Pick<RescueStatus, 'grown' | 'shrunk' | 'last'> = { grown: 0, shrunk: 0, last: undefined };

  constructor(settings: RescueSettings, parts: RescuerParts) {
    this.#settings = settings;
    this.#parts = parts;
    this.#base = settings.size;
  }

  get status(): RescueStatus {
    const { size } = this.#parts.state;
    return { base: this.#base, size, max: this.#settings.max, ...this.#status };
  }

  start(): void {
    this.#parts.onChange(undefined);
    this.#arm();
  }

  /** @returns the size to go back to */
  stop(): number {
    this.#isStopped = true;
    clearTimeout(this.#timer);
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
    if (fast === 0 && slow === 0 && state.size <= this.#base) return undefined;
    return { since: clock(), fast, slow, threads: readActivity(ids()) };
  }

  async #judge({ since, fast, slow, threads }: Round): Promise<void> {
    const { pool, state } = this.#parts;
    const { max, holdMs } = this.#settings;
    const { inFutex, elsewhere, hasCores } = compareActivity(threads);
    const { size, busy } = pool.counters();
    const parked = state.real - state.size;
    const blocked = Math.max(0, elsewhere - parked) + Math.max(0, inFutex - (size - busy));
    const lookupsWait = slow !== 0 && pool.waits('slowQueue', slow);
    const isWaiting = lookupsWait || (fast !== 0 && pool.waits('queue', fast));
    if (isWaiting && blocked > 0 && lookupsWait) this.#factor = 2;
    const wanted = Math.min(max, this.#base + blocked * this.#factor);
    const now = clock();
    if (isWaiting && wanted > state.size && hasCores) {
      const jobs = lookupsWait ? 'lookups' : 'jobs';
      const waited = Math.round(now - since);
      await this.#change(
        'grow',
        wanted,
        blocked,
        `${jobs} waited ${waited} ms, and ${threadsOf(blocked)} blocked`,
      );
    } else if (wanted >= state.size) this.#restart();
    else {
      this.#most = Math.max(this.#most, wanted);
      if (now - this.#since < holdMs) return;
      const reason = `${threadsOf(blocked)} blocked, and no more were needed for ${holdMs} ms`;
      await this.#change('shrink', this.#most, blocked, reason);
    }
  }

  async #change(type: 'grow' | 'shrink', size: number, blocked: number, reason: string): Promise<void> {
    const { resize, onChange, state } = this.#parts;
    const change = { from: state.size, size, blocked, reason, at: Date.now() };
    const most = type === 'grow' ? GROW_MS : Math.min(SHRINK_MS, Math.max(1000, this.#settings.holdMs));
    try {
      await resize(size, clock() + most);
      const { grown, shrunk } = this.#status;
      const last = { type, ...change };
      this.#status =
        type === 'grow' ? { grown: grown + 1, shrunk, last } : { grown, shrunk: shrunk + 1, last };
      if (size <= this.#base) this.#factor = 1;
      onChange(last);
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

const threadsOf = (count: number): string => (count === 1 ? '1 thread was' : `${count} threads were`);
