import type { Arm } from '../contest/block-order.js';
import { blocksOf, type Outcome } from '../contest/contest.js';
import { PlimsollError } from '../errors.js';
import { captureEnvironment, type Environment } from '../host/environment.js';
import type { Supervision } from '../lab/guardian.js';
import type { ComparisonRow } from '../results/comparison.js';
import { comparePair, type PairComparison, type PairedBlocks } from '../stats/generations.js';
import { boundsOf, isShown, LEVEL } from '../stats/intervals.js';
import { median } from '../stats/quantile.js';
import { createRandom } from '../stats/random.js';
import { type Compared, overallVerdict, UNREMARKABLE } from './compare.js';
import type { Measurement } from './messages.js';
import type { BenchPlan, BenchProgress, ChosenWorkload } from './options.js';
import { contestPools, type PoolArm, type PoolsOutcome } from './pools.js';

export interface ModulesPlan extends Pick<BenchPlan, 'sizes' | 'seed' | 'deadlineMs'> {
  readonly old: ChosenWorkload;
  readonly new: ChosenWorkload;
  readonly timeMs: number;
}

export interface ModulesProgress extends Pick<BenchProgress, 'generation' | 'share'> {
  readonly leftMs: number;
}

const MOST_ISOLATED = 30;

type Id = `${'old' | 'new'} ${number}`;
type Known = Pick<Outcome<Measurement, Id>, 'rounds' | 'lost' | 'looks'>;

export async function compareModules(
  plan: ModulesPlan,
  { guardian, signal, onProgress }: Supervision<ModulesProgress>,
): Promise<Compared> {
  const { sizes, timeMs, deadlineMs } = plan;
  const directory = guardian.temporaryDirectory();
  const startedAt = new Date().toISOString();
  const environment = captureEnvironment({ directory });
  const tell = (generation: number, spentMs: number): void => {
    const share = Math.min(1, spentMs / timeMs);
    onProgress?.({ generation, share, leftMs: (1 - share) * timeMs });
  };
  try {
    tell(0, 0);
    const measured = await contestPools<Id>(
      {
        ids: sizes.flatMap((size): Id[] => [`old ${size}`, `new ${size}`]),
        baseline: baselineOf(plan),
        armOf: (arm) => armOf(plan, arm),
        ...{ isolated: false, timeMs, blocks: MOST_ISOLATED },
        process: { directory, names: [], prefix: [], deadlineMs },
        random: createRandom(plan.seed),
        judge: (until, spentMs) => {
          tell(until.generations, spentMs);
          const all = [...comparisonsOf(plan, until).values()];
          const settled = all.length > 0 && all.every(({ settled }) => settled);
          return { settled, between: Math.max(0, ...all.map(({ between }) => between)) };
        },
      },
      { guardian, signal },
    );
    const { error, lost, stop } = measured.outcome;
    if (stop === 'failed') throw error ?? [...lost.values()][0];
    return compared(plan, measured, startedAt, environment, signal.aborted);
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

function pairs({ rounds }: Known, arm: Arm<Id>, reference: Id): PairedBlocks[] {
  return blocksOf(rounds, ({ workMs }) => workMs).map((blocks) => {
    const both = blocks.filter((block) => block.has(arm) && block.has(reference));
    const timesOf = (id: Arm<Id>): number[] => both.map((block) => block.get(id) as number);
    return { values: timesOf(arm), reference: timesOf(reference) };
  });
}

const isEmpty = (generations: readonly PairedBlocks[]): boolean =>
  generations.every(({ values }) => values.length === 0);

function comparisonsOf({ sizes }: ModulesPlan, known: Known): Map<number, PairComparison> {
  const { lost, looks } = known;
  const comparisons = new Map<number, PairComparison>();
  for (const size of sizes) {
    const blocks = pairs(known, `new ${size}`, `old ${size}`);
    if (lost.has(`old ${size}`) || lost.has(`new ${size}`) || isEmpty(blocks)) continue;
    comparisons.set(size, comparePair(blocks, { looks, comparisons: sizes.length }));
  }
  return comparisons;
}

function isNoisy(plan: ModulesPlan, known: Known): boolean {
  const twins = pairs(known, 'twin', baselineOf(plan));
  if (isEmpty(twins)) return false;
  const { verdict } = comparePair(twins, { looks: known.looks, comparisons: 1 });
  return isShown(verdict);
}

function compared(
  plan: ModulesPlan,
  { outcome }: PoolsOutcome<Id>,
  startedAt: string,
  environment: Environment,
  interrupted: boolean,
): Compared {
  const noisy = isNoisy(plan, outcome);
  const { name } = plan.new;
  const rows = [...comparisonsOf(plan, outcome)].map(([size, comparison]): ComparisonRow => {
    const blocks = pairs(outcome, `new ${size}`, `old ${size}`).filter(({ values }) => values.length > 0);
    const interval = boundsOf(comparison);
    return {
      ...{ name, size, comparedBy: 'workMs' },
      oldMs: median(blocks.flatMap(({ reference }) => reference)),
      newMs: median(blocks.flatMap(({ values }) => values)),
      ...{ oldGenerations: blocks.length, newGenerations: blocks.length, ratio: comparison.ratio },
      interval,
      verdict: noisy || interval === null ? 'unclear' : comparison.verdict,
    };
  });
  const side = { node: environment.node.version, startedAt };
  return {
    ...{ schema: 'plimsoll/1', kind: 'comparison', of: 'modules', level: LEVEL, old: side, new: side },
    ...{ rows, recommended: [], interrupted },
    verdict: overallVerdict(rows, [...outcome.lost.keys()].map(String)),
    circumstances: {
      ...UNREMARKABLE,
      isUnfinished: interrupted,
      noisy: noisy ? [...new Set(rows.map((row) => row.name))] : [],
      lost: [...outcome.lost].map(([what, error]) => ({
        what,
        message: error instanceof PlimsollError ? error.message : String(error),
      })),
    },
  };
}
