import { type IntervalHistogram, monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { now } from '../../shared/clock.js';
import { CREATED, HANDLER } from '../../shared/layout.js';
import { CALLED, cellsOf, IDLE, Marks, RETURNED, TAKEN, WRITTEN } from '../../shared/marks.js';
import type { SharedTable } from '../../shared/memory.js';
import { FAILED } from '../../shared/messages.js';
import { queuedEntries } from '../../shared/table.js';
import type { HandlerNames } from '../handler-names.js';
import { Inputs } from '../inputs.js';
import { Results } from '../results.js';
import type { Task } from '../task.js';
import { READY, type WorkerHandle } from '../worker-handle.js';
import { Breakdown, type Phases } from './breakdown.js';

/** So many functions are told apart; the tasks of further ones are added up in one. */
const MOST_FUNCTIONS = 256;
/** Milliseconds between two looks at the host's event loop. */
const RESOLUTION = 10;

/** Follows every task of a pool with `explain`, by standing where tasks are written and results read. */
export class Observer {
  readonly marks: Marks;
  readonly startedAt = now();
  /** The most workers that were ready at a time. */
  mostWorkers = 0;
  readonly #byHandler = new Map<number, Breakdown>();
  readonly #breakdowns = new Set<Breakdown>();
  readonly #others = new Breakdown('', '(others)');
  readonly #table: SharedTable;
  readonly #workers: readonly WorkerHandle[];
  readonly #handlers: HandlerNames;
  readonly #delay: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION });
  readonly #loopAtStart = performance.eventLoopUtilization();
  /** By slot: when the writing of its task began and ended, and whether a worker was free for it then. */
  readonly #from: Float64Array;
  readonly #to: Float64Array;
  readonly #foundFree: Uint8Array;

  constructor(table: SharedTable, workers: readonly WorkerHandle[], handlers: HandlerNames) {
    const { slots } = table.layout;
    this.marks = new Marks(slots);
    this.#table = table;
    this.#workers = workers;
    this.#handlers = handlers;
    this.#from = new Float64Array(slots);
    this.#to = new Float64Array(slots);
    this.#foundFree = new Uint8Array(slots);
    this.#delay.enable();
  }

  /** One for each function that a task has called. */
  get breakdowns(): readonly Breakdown[] {
    return [...this.#breakdowns];
  }

  /** Of the host since the pool was made. */
  get hostLoop(): { utilization: number; delay: IntervalHistogram } {
    const { utilization } = performance.eventLoopUtilization(this.#loopAtStart);
    return { utilization, delay: this.#delay };
  }

  /** A worker is ready. */
  came(): void {
    const ready = this.#workers.filter((worker) => worker.state === READY).length;
    this.mostWorkers = Math.max(this.mostWorkers, ready);
  }

  stop(): void {
    this.#delay.disable();
  }

  written(slot: number, from: number, to: number): void {
    this.#from[slot] = from;
    this.#to[slot] = to;
    let free = 0;
    for (const worker of this.#workers) if (worker.state === READY && worker.hasNothing) free++;
    this.#foundFree[slot] = free > queuedEntries(this.#table) ? 1 : 0;
  }

  read(worker: WorkerHandle, slot: number, base: number, failed: boolean, from: number, to: number): void {
    // Its first result may be read before the message that says so.
    if (!worker.hasStarted) worker.readMessages();
    const { cells } = this.marks;
    const at = cellsOf(slot);
    const taken = cells[at + TAKEN] as number;
    const written = cells[at + WRITTEN] as number;
    const called = (cells[at + CALLED] as number) || written;
    const returned = (cells[at + RETURNED] as number) || called;
    const foundFree = this.#foundFree[slot] === 1;
    const phases: Phases = {
      ...this.#before(worker, slot, this.#table.floats[(base + CREATED) >> 1] as number, taken),
      load: called - taken,
      run: returned - called,
      reply: written - returned,
      return: Math.max(0, from - written),
      decode: to - from,
    };
    const breakdown = this.#breakdownOf(this.#table.words[base + HANDLER] as number);
    breakdown.add(phases, { failed, foundFree, idle: cells[at + IDLE] as number });
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

  #breakdownOf(handler: number): Breakdown {
    const known = this.#byHandler.get(handler);
    if (known !== undefined) return known;
    const { filename, name } = this.#handlers.of(handler);
    const found = this.#find(filename, name) ?? this.#make(filename, name);
    this.#byHandler.set(handler, found);
    return found;
  }

  /** A function has a handler for each way to call it. */
  #find(filename: string, name: string): Breakdown | undefined {
    return this.breakdowns.find((one) => one.name === name && one.filename === filename);
  }

  #make(filename: string, name: string): Breakdown {
    const isOther = this.#breakdowns.size >= MOST_FUNCTIONS;
    const made = isOther ? this.#others : new Breakdown(filename, name);
    this.#breakdowns.add(made);
    return made;
  }
}

/** Inputs that tell an observer how long writing took. */
export class ObservedInputs extends Inputs {
  readonly #observer: Observer;

  constructor(table: SharedTable, workers: readonly WorkerHandle[], observer: Observer) {
    super(table, workers);
    this.#observer = observer;
  }

  override write(task: Task, slot: number): boolean {
    const from = now();
    const isSmall = super.write(task, slot);
    this.#observer.written(slot, from, now());
    return isSmall;
  }
}

/** Results that tell an observer of each task whose end was read. */
export class ObservedResults extends Results {
  readonly #observer: Observer;

  constructor(table: SharedTable, observer: Observer) {
    super(table);
    this.#observer = observer;
  }

  override read(worker: WorkerHandle, slot: number, base: number, flags: number): unknown {
    const from = now();
    try {
      return super.read(worker, slot, base, flags);
    } finally {
      this.#observer.read(worker, slot, base, (flags & FAILED) !== 0, from, now());
    }
  }
}
