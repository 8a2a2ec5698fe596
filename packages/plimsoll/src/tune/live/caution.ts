import { meanOfKnown } from '../../collections/sum.js';
import type { LiveWindow, WindowPlan } from './target.js';

/** A window is worse than what the app had when its mean latency is so much above that of all windows of the baseline. */
const WORSE_RATIO = 1.5;
/** So many windows may be worse. */
const WORSE_SHARE = 0.1;
/** What the baseline had at the most, times this, and so much more, is trouble. */
const TROUBLE_RATIO = 3;
const FAILURES = 2;
const OPEN = 20;

/**
 * What real users may notice while sizes are compared on a service in production: at most a tenth of the windows are worse than
 * what they had, and a size in trouble is left at once and for good.
 */
export class Caution {
  readonly #baseline: number;
  readonly #left = new Set<number>();
  readonly #wasWorse = new Map<number, boolean>();
  #windows = 0;
  #worse = 0;
  #slowest = 0;
  #mostFailed = 0;
  #mostOpen = 0;

  constructor(baseline: number) {
    this.#baseline = baseline;
  }

  get left(): ReadonlySet<number> {
    return this.#left;
  }

  get windows(): { readonly worse: number; readonly all: number } {
    return { worse: this.#worse, all: this.#windows };
  }

  /** Whether a window of a size may be worse without too many being so; else one of the baseline comes first. */
  mayTry(size: number): boolean {
    return this.#wasWorse.get(size) === false || this.#worse + 1 <= WORSE_SHARE * (this.#windows + 1);
  }

  limits(size: number): Pick<WindowPlan, 'mostFailed' | 'mostOpen'> {
    if (size === this.#baseline) return {};
    return {
      mostFailed: FAILURES + TROUBLE_RATIO * this.#mostFailed,
      mostOpen: OPEN + TROUBLE_RATIO * this.#mostOpen,
    };
  }

  look(window: LiveWindow): void {
    const { size, trouble, failed, inFlight } = window;
    const mean = meanLatency(window);
    this.#windows++;
    if (size === this.#baseline) {
      this.#slowest = Math.max(this.#slowest, mean);
      this.#mostFailed = Math.max(this.#mostFailed, failed);
      this.#mostOpen = Math.max(this.#mostOpen, inFlight);
      this.#wasWorse.set(size, false);
      return;
    }
    const isWorse = trouble !== null || mean > WORSE_RATIO * this.#slowest;
    const before = this.#wasWorse.get(size);
    this.#wasWorse.set(size, isWorse);
    if (!isWorse) return;
    this.#worse++;
    // Once after better ones may be an accident.
    if (trouble !== null || before !== false) this.#left.add(size);
  }
}

const meanLatency = ({ routes }: LiveWindow): number => meanOfKnown([...routes.values()].flat()) ?? 0;
