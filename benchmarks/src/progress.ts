import { formatDuration } from '@plimsoll/lab';
import type { Case } from './cases/case.js';
import { blocksOf } from './experiment.js';
import type { Order } from './measure.js';
import type { Effort } from './support/effort.js';

/** Between two runs: the cool-down, the start of a process and its end. */
const BETWEEN_MS = 350;

/** How much is done and how long the rest will take: the cases' own estimates, corrected by how long it really took. */
export class Progress {
  readonly #started = performance.now();
  #expectedLeft: number;
  #expectedDone = 0;

  constructor(orders: readonly Order[]) {
    this.#expectedLeft = orders
      .flatMap(({ cases, blocks, effort }) =>
        cases.map((one) => blocksOf(one, blocks) * (one.contenders.length + 1) * perRun(one, effort)),
      )
      .reduce((sum, ms) => sum + ms, 0);
  }

  runDone(one: Case, effort: Effort): void {
    const ms = perRun(one, effort);
    this.#expectedDone += ms;
    // A block that is run again was not expected.
    this.#expectedLeft = Math.max(ms, this.#expectedLeft - ms);
  }

  text(what: string, width: number): string {
    const spent = performance.now() - this.#started;
    const pace = spent < 3000 ? 1 : Math.min(3, spent / Math.max(1, this.#expectedDone));
    const share = this.#expectedDone / (this.#expectedDone + this.#expectedLeft);
    const left = `${Math.floor(share * 100)} %, ${formatDuration(this.#expectedLeft * pace)} left`;
    return `${left}  ${what}`.slice(0, width - 1);
  }
}

const perRun = ({ expectedMs, runsPerProcess = 1 }: Case, effort: Effort): number =>
  expectedMs[effort] + BETWEEN_MS / runsPerProcess;
