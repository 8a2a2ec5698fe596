/** The sizes of `tune` by default on two cores, and those of the processes that tell the truth. */
export const SIZES = [1, 2, 4, 8, 16, 64] as const;
export const BASELINE = 4;

export interface StudyPlan {
  /** Blocks of truth on either side of `tune`; the first of a command's is dropped. */
  readonly blocks: number;
  /** Of a slice of traffic. */
  readonly sliceMs: number;
  readonly tuneSeconds: number;
}

export const PLANS = {
  full: { blocks: 3, sliceMs: 700, tuneSeconds: 55 },
  quick: { blocks: 1, sliceMs: 300, tuneSeconds: 15 },
} as const satisfies Record<string, StudyPlan>;
