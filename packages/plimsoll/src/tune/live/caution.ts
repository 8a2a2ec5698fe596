import { meanOfKnown } from '../../collections/sum.js';
import type { LiveWindow, WindowPlan } from './target.js';

/** A window is worse if its mean latency is so many times that of the slowest baseline window. */
const WORSE_RATIO = 1.5;
/** So many windows may be worse. */
const WORSE_SHARE = 0.1;
/** More than the most at the baseline, times this, plus an allowance, is trouble. */
const TROUBLE_RATIO = 3;
const FAILURES = 2;
const OPEN = 20;

/** What real users may notice: at most a tenth of the windows are worse than before, and a size in trouble is left for good. */
export class Caution {
  readonly left = new Set<number>();
  /** So far. */
  windows = 0;
  worse = 0;
  readonly #baseline: number;
  readonly #wasWorse = new Map<number, boolean>();
  #slowest = 0;
  #mostFailed = 0;
  #mostOpen = 0;

  constructor(baseline: number) {
    this.#baseline = baseline;
  }

  /** Whether a window of a size may be worse without too many being so; else one of the baseline comes first. */
  mayTry(size: number): boolean {
    return this.#wasWorse.get(size) === false || this.worse + 1 <= WORSE_SHARE * (this.windows + 1);
  }

  limits(size: number): Pick<WindowPlan, 'mostFailed' | 'mostOpen'> {
    if (size === this.#baseline) return {};
    return {
      mostFailed: FAILURES + TROUBLE_RATIO * this.#mostFailed,
      mostOpen: OPEN + TROUBLE_RATIO * this.#mostOpen,
    };
  }

  look({ size, isTrouble, failed, inFlight, routes }: LiveWindow): void {
    const mean = meanOfKnown([...routes.values()].flat()) ?? 0;
    this.windows++;
    if (size === this.#baseline) {
      this.#slowest = Math.max(this.#slowest, mean);
      this.#mostFailed = Math.max(this.#mostFailed, failed);
      this.#mostOpen = Math.max(this.#mostOpen, inFlight);
    }
    const isWorse = size !== this.#baseline && (isTrouble || mean > WORSE_RATIO * this.#slowest);
    // Once after better ones may be an accident.
    if (isWorse && (isTrouble || this.#wasWorse.get(size) !== false)) this.left.add(size);
    if (isWorse) this.worse++;
    this.#wasWorse.set(size, isWorse);
  }
}
