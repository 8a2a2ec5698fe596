import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { Core } from '../host/core.js';
import { readCpuQuota } from '../host/cpu-quota.js';
import type { TaskHooks } from '../host/state.js';
import { READY, type WorkerHandle } from '../host/worker-handle.js';
import { CREATED, HANDLER } from '../shared/layout.js';
import { CALLED, cellsOf, IDLE, RETURNED, TAKEN, WRITTEN } from '../shared/marks.js';
import { queuedEntries } from '../shared/table.js';
import { adviceFor } from './advice.js';
import { Breakdown, type Phases } from './breakdown.js';
import type { Explanation } from './types.js';

/** Functions to distinguish; the tasks of further functions are added up in one entry. */
const MOST_FUNCTIONS = 256;

/** Measures the phases of every task of a pool with `explain`. */
export class TaskPhases implements TaskHooks {
  readonly #startedAt: number;
  /** Highest number of ready workers so far. */
  #mostWorkers = 0;
  readonly #byName = new Map<string, Breakdown>();
  readonly #rest = new Breakdown('', '(others)');
  readonly #core: Core;
  readonly #cells: Float64Array;
  readonly #loopAtStart = performance.eventLoopUtilization();
  /** By slot: start and end of writing the task, and whether a worker was free then. */
  readonly #from: Float64Array;
  readonly #to: Float64Array;
  readonly #foundFree: Uint8Array;

  /** @param cells see `marksFor` */
  constructor(core: Core, cells: Float64Array) {
    const { slots } = core.table.layout;
    this.#startedAt = core.duration;
    this.#core = core;
    this.#cells = cells;
    this.#from = new Float64Array(slots);
    this.#to = new Float64Array(slots);
    this.#foundFree = new Uint8Array(slots);
    this.ready();
  }

  get breakdowns(): readonly Breakdown[] {
    const list = [...this.#byName.values()];
    return this.#rest.total.count === 0 ? list : [...list, this.#rest];
  }

  explain(): Explanation {
    const { minThreads, maxThreads } = this.#core.options;
    const quota = readCpuQuota();
    const { utilization } = performance.eventLoopUtilization(this.#loopAtStart);
    const cores = Math.min(availableParallelism(), quota ?? Number.POSITIVE_INFINITY);
    const breakdowns = [...this.breakdowns].sort((a, b) => b.total.sum - a.total.sum);
    const facts = {
      duration: this.#core.duration - this.#startedAt,
      tasks: breakdowns.map((breakdown) => breakdown.explain()),
      host: { utilization },
      workers: { minThreads, maxThreads, most: this.#mostWorkers, cores, quota },
    };
    return { ...facts, advice: adviceFor(facts) };
  }

  ready(): void {
    this.#mostWorkers = Math.max(this.#mostWorkers, this.#core.readyCount);
  }

  written(slot: number, from: number, to: number): void {
    this.#from[slot] = from;
    this.#to[slot] = to;
    let free = 0;
    for (const worker of this.#core.workers) if (worker.state === READY && worker.hasNothing) free++;
    this.#foundFree[slot] = free > queuedEntries(this.#core.table) ? 1 : 0;
  }

  read(worker: WorkerHandle, slot: number, base: number, failed: boolean, from: number, to: number): void {
    // The first result of a worker may be read before its message 'ready'.
    if (!worker.hasStarted) worker.readMessages();
    const cells = this.#cells;
    const { words, floats } = this.#core.table;
    const at = cellsOf(slot);
    const taken = cells[at + TAKEN] as number;
    const written = cells[at + WRITTEN] as number;
    const called = (cells[at + CALLED] as number) || written;
    const returned = (cells[at + RETURNED] as number) || called;
    const phases: Phases = {
      ...this.#before(worker, slot, floats[(base + CREATED) >> 1] as number, taken),
      load: called - taken,
      run: returned - called,
      reply: written - returned,
      return: Math.max(0, from - written),
      decode: to - from,
    };
    const breakdown = this.#breakdownOf(words[base + HANDLER] as number);
    breakdown.add(phases, failed, this.#foundFree[slot] === 1, cells[at + IDLE] as number);
  }

  #before(
    worker: WorkerHandle,
    slot: number,
    created: number,
    taken: number,
  ): Pick<Phases, 'queue' | 'startup' | 'encode' | 'wake'> {
    const to = this.#to[slot] as number;
    const encode = to - (this.#from[slot] as number);
    const wait = Math.max(0, taken - created - encode);
    const startup = Math.min(wait, Math.max(0, worker.readyAt - created));
    const wake = this.#foundFree[slot] === 1 ? Math.min(wait - startup, Math.max(0, taken - to)) : 0;
    return { queue: wait - startup - wake, startup, encode, wake };
  }

  /** One breakdown per function, although each way to call a function has its own handler. */
  #breakdownOf(handler: number): Breakdown {
    const { filename, name } = this.#core.handlers.of(handler);
    const key = `${name}\0${filename}`;
    const breakdown = this.#byName.get(key);
    if (breakdown !== undefined) return breakdown;
    if (this.#byName.size >= MOST_FUNCTIONS) return this.#rest;
    const created = new Breakdown(filename, name);
    this.#byName.set(key, created);
    return created;
  }
}
