import { FIRST_LOOK } from '../stats/looks.js';
import { type Judgement, judge } from './judge.js';
import type { JudgePlan, Sample } from './plan.js';

/** The judge of one contest, who remembers which sizes have left, and how many blocks there can be. */
export class Jury {
  readonly #plan: Omit<JudgePlan, 'mostBlocks' | 'left'>;
  readonly #timeMs: number;
  readonly #startMs = performance.now();
  #mostBlocks: number | null = null;
  #left: readonly number[] = [];
  #known: Judgement | null = null;
  #blocks = 0;

  /** @param timeMs from now on. */
  constructor(plan: Omit<JudgePlan, 'mostBlocks' | 'left'>, timeMs: number) {
    this.#plan = plan;
    this.#timeMs = timeMs;
  }

  /** Ask it after each block, with all samples until then. */
  judge(samples: readonly Sample[]): Judgement {
    this.#blocks++;
    // The first block tells how long one is; the number of looks must not depend on what they show.
    this.#mostBlocks ??= Math.max(FIRST_LOOK, Math.floor(this.#timeMs / (performance.now() - this.#startMs)));
    const known = judge(samples, this.plan);
    this.#left = this.#plan.sizes.filter((size) => !known.living.includes(size));
    this.#known = known;
    return known;
  }

  /** As the last judgement had it, for the answer. */
  get plan(): JudgePlan {
    return { ...this.#plan, mostBlocks: this.#mostBlocks ?? FIRST_LOOK, left: this.#left };
  }

  /** What the last judgement said. */
  get known(): Judgement | null {
    return this.#known;
  }

  /** Complete ones. */
  get blocks(): number {
    return this.#blocks;
  }

  /** For a line that tells how far it is. */
  progress(): { blocks: number; known: Judgement | null; share: number; leftMs: number } {
    const spentMs = performance.now() - this.#startMs;
    return {
      blocks: this.#blocks,
      known: this.#known,
      share: Math.min(1, spentMs / this.#timeMs),
      leftMs: Math.max(0, this.#timeMs - spentMs),
    };
  }
}
