import { itemAt } from '../collections/item-at.js';
import type { LoadCase } from './options.js';

interface Table {
  readonly traffic: LoadCase;
  readonly runs: number;
}

/** How much of a case's time is its traffic's: requests of a closed loop, milliseconds of an open one. */
const workOf = (traffic: LoadCase): number =>
  traffic.kind === 'closed' ? traffic.parallel * traffic.requests : traffic.durationMs;

/** Guesses how long the rest takes: as long as the runs of the same case did, or of another one by its amount of work. */
export class Estimate {
  readonly #tables: readonly Table[];
  /** Of the runs of each case that have ended: number and milliseconds. */
  readonly #ended = new Map<LoadCase, { runs: number; ms: number }>();

  constructor(tables: readonly Table[]) {
    this.#tables = tables;
  }

  ended(traffic: LoadCase, ms: number): void {
    const { runs, ms: before } = this.#ended.get(traffic) ?? { runs: 0, ms: 0 };
    this.#ended.set(traffic, { runs: runs + 1, ms: before + ms });
  }

  /**
   * @param done runs that have ended, of each table.
   * @param runningMs how long the run under way has taken.
   * @returns `leftMs` is `null` while nothing is known.
   */
  state(done: readonly number[], runningMs: number): { share: number; leftMs: number | null } {
    if (this.#ended.size === 0) return { share: 0, leftMs: null };
    const expected = this.#tables.map(({ traffic }) => this.#expectedMs(traffic));
    const total = this.#tables.reduce((sum, { runs }, index) => sum + runs * itemAt(expected, index), 0);
    const past = done.reduce((sum, runs, index) => sum + runs * itemAt(expected, index), 0);
    const share = Math.min(1, (past + runningMs) / total);
    return { share, leftMs: Math.max(0, total - past - runningMs) };
  }

  #expectedMs(traffic: LoadCase): number {
    const own = this.#ended.get(traffic);
    if (own !== undefined) return own.ms / own.runs;
    const [other, { runs, ms }] = [...this.#ended][0] as [LoadCase, { runs: number; ms: number }];
    return (ms / runs) * (workOf(traffic) / workOf(other));
  }
}
