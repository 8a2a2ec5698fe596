import constants = require('./constants.cjs');

import type { ProblemLine, RecordedLine, SignalSource, ThreadsLine } from './lines.cjs';

import threads = require('./threads.cjs');

const { now } = constants;

/** A look must not cost more than this share of the time; with a thousand threads it comes less often. */
const MOST_SHARE = 0.05;

/** Samples /proc/self/task: who got a core, who waited for one, and how many pool threads are at work. */
class ThreadsSource implements SignalSource {
  readonly #before = new Map<number, { cpu: number; waited: number }>();
  readonly #self = threads.self();
  readonly #tells = threads.isBusy(this.#self ?? process.pid) !== null;
  #emit: (line: RecordedLine) => void = () => {};
  #nextAt = 0;

  async start(emit: (line: RecordedLine) => void): Promise<ProblemLine | null> {
    this.#emit = emit;
    this.#look();
    return null;
  }

  tick(): void {
    if (now() >= this.#nextAt) this.#look();
  }

  async stop(): Promise<void> {
    this.#look();
  }

  #isWorthAsking(tid: number): boolean {
    return this.#tells && tid !== process.pid && tid !== this.#self && threads.maybePool(tid);
  }

  #look(): void {
    const at = now();
    const found: ThreadsLine['new'][number][] = [];
    const use: ThreadsLine['use'][number][] = [];
    for (const tid of threads.list()) {
      const used = threads.usage(tid);
      if (used === null) continue;
      const before = this.#before.get(tid);
      if (before === undefined) found.push([tid, threads.nameOf(tid)]);
      this.#before.set(tid, used);
      // What a thread had used before the first look is not of this interval.
      const cpu = used.cpu - (before ?? (this.#nextAt === 0 ? used : { cpu: 0 })).cpu;
      const waited = used.waited - (before ?? (this.#nextAt === 0 ? used : { waited: 0 })).waited;
      const busy = this.#isWorthAsking(tid) ? threads.isBusy(tid) : null;
      if (cpu > 0 || waited > 0 || busy === true)
        use.push([tid, cpu, waited, busy === null ? null : busy ? 1 : 0]);
    }
    this.#emit({ type: 'threads', at, new: found, tells: this.#tells, use });
    this.#nextAt = at + (now() - at) / MOST_SHARE;
  }
}

export = ThreadsSource;
