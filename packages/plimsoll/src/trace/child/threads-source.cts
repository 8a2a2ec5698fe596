import constants = require('./constants.cjs');

import type { ProblemLine, RecordedLine, SignalSource, ThreadsLine } from './lines.cjs';

import threads = require('./threads.cjs');

const { now } = constants;

/** A sample must not cost more than this share of a core; with a thousand threads it comes less often. */
const MOST_SHARE = 0.05;
const NS_PER_US = 1000;

/** Samples /proc/self/task: who got a core, who waited for one, and how many pool threads are at work. */
class ThreadsSource implements SignalSource {
  readonly #before = new Map<number, { cpu: number; waited: number }>();
  readonly #self = threads.self();
  readonly #tells = threads.stateOf(this.#self ?? process.pid) !== null;
  #emit: (line: RecordedLine) => void = () => {};
  #nextAt = 0;

  async start(emit: (line: RecordedLine) => void): Promise<ProblemLine | null> {
    this.#emit = emit;
    this.#sample();
    return null;
  }

  tick(): void {
    if (now() >= this.#nextAt) this.#sample();
  }

  async stop(): Promise<void> {
    this.#sample();
  }

  #isWorthAsking(tid: number): boolean {
    return this.#tells && tid !== process.pid && tid !== this.#self && threads.maybePool(tid);
  }

  /** Nanoseconds that this thread has computed. Not the time: where cores are scarce a sample takes long and costs little. */
  #spent(): number {
    return (this.#self === null ? null : threads.usage(this.#self)?.cpu) ?? 0;
  }

  #sample(): void {
    const at = now();
    const spent = this.#spent();
    const found: ThreadsLine['new'][number][] = [];
    const use: ThreadsLine['use'][number][] = [];
    for (const tid of threads.list()) {
      const used = threads.usage(tid);
      if (used === null) continue;
      const before = this.#before.get(tid);
      if (before === undefined) found.push([tid, threads.nameOf(tid)]);
      this.#before.set(tid, used);
      // What a thread had used before the first sample is not of this interval.
      const cpu = used.cpu - (before ?? (this.#nextAt === 0 ? used : { cpu: 0 })).cpu;
      const waited = used.waited - (before ?? (this.#nextAt === 0 ? used : { waited: 0 })).waited;
      const state = this.#isWorthAsking(tid) ? threads.stateOf(tid) : null;
      if (cpu > 0 || waited > 0 || state === 1 || state === 2) use.push([tid, cpu, waited, state]);
    }
    this.#emit({ type: 'threads', at, new: found, tells: this.#tells, use });
    this.#nextAt = at + (this.#spent() - spent) / NS_PER_US / MOST_SHARE;
  }
}

export = ThreadsSource;
