import type { Arm } from '../contest/block-order.js';
import { blocksOf, type Outcome } from '../contest/contest.js';
import { PlimsollError } from '../errors.js';
import type { Supervision } from '../lab/guardian.js';
import type { Comparison, ComparisonRow } from '../results/comparison.js';
import { comparePair, type PairComparison, type PairedBlocks } from '../stats/generations.js';
import { boundsOf, isShown } from '../stats/intervals.js';
import { median } from '../stats/quantile.js';
import { createRandom } from '../stats/random.js';
import type { Measurement } from './messages.js';
import type { BenchPlan, BenchProgress, ChosenWorkload } from './options.js';
import { contestPools, type PoolArm } from './pools.js';

export interface ModulesPlan extends Pick<BenchPlan, 'sizes' | 'seed' | 'deadlineMs'> {
  readonly old: ChosenWorkload;
  readonly new: ChosenWorkload;
  readonly timeMs: number;
}

export type ModulesProgress = Omit<BenchProgress, 'workload'>;

export interface MeasuredModules extends Pick<Comparison, 'node' | 'startedAt' | 'rows' | 'interrupted'> {
  readonly isNoisy: boolean;
  /** Modules that failed at a size: `new 8`. */
  readonly lost: readonly { readonly what: string; readonly message: string }[];
}

const MOST_ISOLATED = 30;

type Id = `${'old' | 'new'} ${number}`;
type Known = Pick<Outcome<Measurement, Id>, 'rounds' | 'lost' | 'looks'>;

export async function compareModules(
  plan: ModulesPlan,
  { guardian, signal, onProgress }: Supervision<ModulesProgress>,
): Promise<MeasuredModules> {
  const { sizes, timeMs, deadlineMs } = plan;
  const directory = guardian.temporaryDirectory();
  const startedAt = new Date().toISOString();
  const tell = (generation: number, spentMs: number): void => {
    const share = Math.min(1, spentMs / timeMs);
    onProgress?.({ generation, share, leftMs: (1 - share) * timeMs });
  };
  try {
    tell(0, 0);
    const { outcome } = await contestPools<Id>(
      {
        ids: sizes.flatMap((size): Id[] => [`old ${size}`, `new ${size}`]),
        baseline: baselineOf(plan),
        armOf: (arm) => armOf(plan, arm),
        ...{ isolated: false, timeMs, blocks: MOST_ISOLATED },
        process: { directory, names: [], prefix: [], deadlineMs },
        random: createRandom(plan.seed),
        judge: (until, spentMs) => {
          tell(until.generations, spentMs);
          const all = comparisonsOf(plan, until);
          const settled = all.length > 0 && all.every(({ settled }) => settled);
          return { settled, between: Math.max(0, ...all.map(({ between }) => between)) };
        },
      },
      { guardian, signal },
    );
    const { error, lost, stop } = outcome;
    if (stop === 'failed') throw error ?? [...lost.values()][0];
    const isNoisy = isShown(comparisonOf(outcome, 'twin', sizes[0] as number, 1)?.verdict ?? 'same');
    return {
      ...{ node: process.version.slice(1), startedAt, isNoisy, interrupted: signal.aborted },
      rows: comparisonsOf(plan, outcome).map((one) => rowOf(plan.new.name, one, isNoisy)),
      lost: [...lost].map(([what, error]) => ({
        what,
        message: error instanceof PlimsollError ? error.message : String(error),
      })),
    };
  } finally {
    guardian.remove(directory);
  }
}

const baselineOf = ({ sizes }: ModulesPlan): Id => `old ${sizes[0] as number}`;

/** The twin is the old module once more, in a process of its own: two processes of the same kind differ too. */
function armOf(plan: ModulesPlan, arm: Arm<Id>): PoolArm {
  const [version, size] = (arm === 'twin' ? baselineOf(plan) : arm).split(' ') as ['old' | 'new', string];
  return { spec: plan[version].spec, size: Number(size), process: arm === 'twin' ? arm : version };
}

interface Compared extends PairComparison {
  readonly size: number;
  readonly blocks: readonly PairedBlocks[];
}

const comparisonsOf = ({ sizes }: ModulesPlan, known: Known): Compared[] =>
  sizes.flatMap((size) => comparisonOf(known, `new ${size}`, size, sizes.length) ?? []);

/** `null` when one of the two failed, or nothing was measured yet. */
function comparisonOf(
  { rounds, lost, looks }: Known,
  arm: Arm<Id>,
  size: number,
  comparisons: number,
): Compared | null {
  const reference: Id = `old ${size}`;
  const blocks = blocksOf(rounds, ({ workMs }) => workMs).map((all) => {
    const both = all.filter((block) => block.has(arm) && block.has(reference));
    const timesOf = (id: Arm<Id>): number[] => both.map((block) => block.get(id) as number);
    return { values: timesOf(arm), reference: timesOf(reference) };
  });
  const isLost = lost.has(arm as Id) || lost.has(reference);
  if (isLost || blocks.every(({ values }) => values.length === 0)) return null;
  return { size, blocks, ...comparePair(blocks, { looks, comparisons }) };
}

function rowOf(name: string, compared: Compared, isNoisy: boolean): ComparisonRow {
  const { size, blocks, ratio, verdict } = compared;
  const generations = blocks.filter(({ values }) => values.length > 0).length;
  const interval = boundsOf(compared);
  return {
    ...{ name, size, ratio, interval, generations },
    oldMs: median(blocks.flatMap(({ reference }) => reference)),
    newMs: median(blocks.flatMap(({ values }) => values)),
    verdict: isNoisy || interval === null ? 'unclear' : verdict,
  };
}
