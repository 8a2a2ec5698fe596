import { PlimsollError } from '../errors.js';
import { captureEnvironment, type Environment } from '../host/environment.js';
import {
  type AlternatingOutcome,
  alternate,
  type Contestant,
  pairedGenerations,
} from '../lab/alternating.js';
import { GenerationWatch } from '../lab/generation-watch.js';
import type { Supervision } from '../lab/guardian.js';
import { MeasuringProcess } from '../lab/measuring-process.js';
import type { Measurement } from '../lab/messages.js';
import type { ComparisonRow } from '../results/comparison.js';
import { comparePair, type PairComparison } from '../stats/generations.js';
import { FIRST_LOOK } from '../stats/looks.js';
import { LEVEL } from '../stats/paired-comparison.js';
import { median } from '../stats/quantile.js';
import { createRandom } from '../stats/random.js';
import { type Compared, type ComparisonFact, rowName, together } from './compare.js';
import type { ChosenWorkload } from './options.js';
import { planRounds, type RoundsPlan } from './pilot.js';

export interface ModulesPlan {
  readonly old: ChosenWorkload;
  readonly new: ChosenWorkload;
  /** Pool sizes, in ascending order. */
  readonly sizes: readonly number[];
  readonly timeMs: number;
  readonly seed: number;
  readonly deadlineMs: number;
}

export interface ModulesProgress {
  /** 0 during the trial run. */
  readonly generation: number;
  /** The new module against the old one by size, as far as is known. */
  readonly known: {
    readonly comparisons: ReadonlyMap<number, PairComparison>;
    readonly noisy: boolean;
  } | null;
  readonly share: number;
  readonly leftMs: number;
}

export interface ModulesContext extends Supervision {
  readonly onProgress?: ((progress: ModulesProgress) => void) | undefined;
}

/** Generations of modules that must be alone. */
const MOST_ISOLATED = 30;

type Id = `${'old' | 'new'} ${number}`;
type Outcome = AlternatingOutcome<Measurement, Id>;

/**
 * Compare two modules, an old and a new version of the same work, by processes of both that take turns on this machine: what
 * disturbs it hits both alike.
 *
 * @throws {PlimsollError} when the old one cannot be measured, or the new one at none of the sizes.
 */
export async function compareModules(plan: ModulesPlan, context: ModulesContext): Promise<Compared> {
  const { guardian, signal } = context;
  const directory = guardian.temporaryDirectory();
  const startedAt = new Date().toISOString();
  const environment = captureEnvironment({ directory });
  try {
    const { outcome, rounds } = await new Turns(plan, context, directory).run();
    return compared(plan, { outcome, rounds, startedAt, environment, interrupted: signal.aborted });
  } finally {
    guardian.remove(directory);
  }
}

class Turns {
  readonly #random;
  readonly #started = performance.now();

  constructor(
    readonly plan: ModulesPlan,
    readonly context: ModulesContext,
    readonly directory: string,
  ) {
    this.#random = createRandom(plan.seed);
  }

  async run(): Promise<{ outcome: Outcome; rounds: RoundsPlan }> {
    const { plan, context } = this;
    const { sizes, timeMs } = plan;
    const { rounds, isolated } = await this.#tryOut();
    const watch = new GenerationWatch();
    const outcome = await alternate<Measurement, Id>({
      groups: [
        sizes.flatMap((size): Id[] => (size === sizes[0] ? [`new ${size}`] : [`old ${size}`, `new ${size}`])),
      ],
      baseline: baselineOf(plan),
      ...rounds,
      isolated,
      random: this.#random,
      signal: context.signal,
      open: (arm) => this.#contestant(arm === 'twin' ? baselineOf(plan) : arm, rounds.repetitions, watch),
      hasTime: (generationMs) => this.#spent() + generationMs <= timeMs,
      isSettled: (until) => {
        watch.look();
        const comparisons = comparisonsOf(plan, until, rounds.mostGenerations);
        const share = Math.min(1, this.#spent() / timeMs);
        context.onProgress?.({
          ...{ generation: until.generations, share, leftMs: (1 - share) * timeMs },
          known: { comparisons, noisy: isNoisy(plan, until, rounds.mostGenerations) },
        });
        return comparisons.size > 0 && [...comparisons.values()].every(({ settled }) => settled);
      },
    });
    if (outcome.stop === 'failed') throw outcome.error ?? [...outcome.lost.values()][0];
    return { outcome, rounds };
  }

  #spent(): number {
    return performance.now() - this.#started;
  }

  /** A trial run of the old module with nothing beside it. */
  async #tryOut(): Promise<{ rounds: RoundsPlan; isolated: boolean }> {
    const { plan, context } = this;
    context.onProgress?.({ generation: 0, known: null, share: 0, leftMs: plan.timeMs });
    const live = await this.#open(baselineOf(plan));
    try {
      const openMs = this.#spent();
      const { workMs } = await live.round(1);
      await live.close();
      // A module may ask to be alone, because it owns a port or a file.
      const { isolated } = live.readiness;
      const arms = 2 * plan.sizes.length + 1;
      const rounds = planRounds(
        { openMs, workMs },
        { arms, timeMs: plan.timeMs, isolated, blocks: MOST_ISOLATED },
      );
      return { rounds, isolated };
    } finally {
      await live.end();
    }
  }

  async #contestant(id: Id, repetitions: number, watch: GenerationWatch): Promise<Contestant<Measurement>> {
    const live = await this.#open(id);
    return {
      round: async () => {
        const measurement = await live.round(repetitions);
        watch.used(live.pid, measurement.totalCpuSeconds);
        return measurement;
      },
      close: () => live.close(),
      end: () => live.end(),
    };
  }

  #open(id: Id): Promise<MeasuringProcess> {
    const [version, size] = id.split(' ') as ['old' | 'new', string];
    const { spec } = this.plan[version];
    const { deadlineMs } = this.plan;
    const request = {
      spec,
      size: Number(size),
      directory: this.directory,
      names: [],
      prefix: [],
      deadlineMs,
    };
    return MeasuringProcess.open(request, this.context, this.#random);
  }
}

const baselineOf = ({ sizes }: ModulesPlan): Id => `old ${sizes[0] as number}`;

const idsOf = ({ sizes }: ModulesPlan, { lost }: Pick<Outcome, 'lost'>): Id[] =>
  sizes.flatMap((size): Id[] => [`old ${size}`, `new ${size}`]).filter((id) => !lost.has(id));

/** Work times of two arms in the blocks of each generation. */
function pairs(
  plan: ModulesPlan,
  outcome: Pick<Outcome, 'rounds' | 'lost'>,
  values: Id | 'twin',
  reference: Id,
): { values: number[]; reference: number[] }[] {
  const times = (rounds: readonly Measurement[] | undefined): number[] =>
    (rounds ?? []).map(({ workMs }) => workMs);
  return pairedGenerations(outcome.rounds, idsOf(plan, outcome), baselineOf(plan)).map((generation) => ({
    values: times(generation.get(values)?.own),
    reference: times(generation.get(reference)?.own),
  }));
}

/** The new module against the old one, at each size at which both still run. */
function comparisonsOf(
  plan: ModulesPlan,
  outcome: Pick<Outcome, 'rounds' | 'lost'>,
  mostGenerations: number,
): Map<number, PairComparison> {
  const sizes = plan.sizes.filter(
    (size) => !outcome.lost.has(`old ${size}`) && !outcome.lost.has(`new ${size}`),
  );
  return new Map(
    sizes.flatMap((size) => {
      const own = pairs(plan, outcome, `new ${size}`, `old ${size}`);
      const found =
        own.length === 0 ? [] : [comparePair(own, { mostGenerations, comparisons: plan.sizes.length })];
      return found.map((comparison): [number, PairComparison] => [size, comparison]);
    }),
  );
}

/** The old module differs from itself. */
function isNoisy(
  plan: ModulesPlan,
  outcome: Pick<Outcome, 'rounds' | 'lost'>,
  mostGenerations: number,
): boolean {
  const twins = pairs(plan, outcome, 'twin', baselineOf(plan));
  if (twins.length === 0) return false;
  return ['better', 'worse'].includes(comparePair(twins, { mostGenerations, comparisons: 1 }).verdict);
}

function compared(
  plan: ModulesPlan,
  known: {
    outcome: Outcome;
    rounds: RoundsPlan;
    startedAt: string;
    environment: Environment;
    interrupted: boolean;
  },
): Compared {
  const { outcome, rounds, startedAt, environment, interrupted } = known;
  const noisy = isNoisy(plan, outcome, rounds.mostGenerations);
  const comparisons = comparisonsOf(plan, outcome, rounds.mostGenerations);
  const name = plan.new.name;
  const rows = [...comparisons].map(([size, found]): ComparisonRow => {
    const blocks = pairs(plan, outcome, `new ${size}`, `old ${size}`);
    const hasInterval = Number.isFinite(found.high);
    return {
      ...{ name, size, comparedBy: 'workMs' },
      oldMs: median(blocks.flatMap(({ reference }) => reference)),
      newMs: median(blocks.flatMap(({ values }) => values)),
      ...{ oldGenerations: blocks.length, newGenerations: blocks.length, ratio: found.ratio },
      interval: hasInterval ? [found.low, found.high] : null,
      verdict: noisy || !hasInterval ? 'unclear' : found.verdict,
    };
  });
  const side = { node: environment.node.version, startedAt };
  return {
    ...{ schema: 'plimsoll/1', kind: 'comparison', of: 'modules', level: LEVEL, old: side, new: side },
    ...{ rows, recommended: [], interrupted },
    verdict: together(rows, [...outcome.lost.keys()].map(String)),
    facts: [
      ...(interrupted ? [{ id: 'compare.unfinished' as const }] : []),
      ...factsOf(rows, noisy, outcome),
    ],
  };
}

function factsOf(rows: readonly ComparisonRow[], noisy: boolean, { lost }: Outcome): ComparisonFact[] {
  const few = rows.filter(({ interval }) => interval === null).map(rowName);
  const facts: (ComparisonFact | false)[] = [
    ...[...lost].map(
      ([id, error]): ComparisonFact => ({
        id: 'compare.lost',
        what: id,
        message: error instanceof PlimsollError ? error.message : String(error),
      }),
    ),
    noisy && { id: 'compare.noisy', names: [...new Set(rows.map(({ name }) => name))] },
    few.length > 0 && { id: 'compare.few-generations', names: few, needed: FIRST_LOOK },
  ];
  return facts.filter((fact) => fact !== false);
}
