import { PlimsollError } from '../errors.js';
import { captureEnvironment } from '../host/environment.js';
import type { Supervision } from '../lab/guardian.js';
import { type ChosenResolver, openResolver } from '../lab/resolver/open.js';
import type { BenchResult, WorkloadResult } from '../results/bench.js';
import { LEVEL } from '../stats/intervals.js';
import { FIRST_LOOK } from '../stats/looks.js';
import { createRandom } from '../stats/random.js';
import { analyseWorkload, compareRounds, failedWorkload } from './analyse.js';
import type { BenchPlan, BenchProgress, ChosenWorkload } from './options.js';
import { contestPools } from './pools.js';

export interface BenchContext extends Supervision {
  readonly onProgress?: ((progress: BenchProgress) => void) | undefined;
}

type Method = BenchResult['method'];

/** What was measured; the sentences about it are composed above. */
export interface Measured extends Omit<BenchResult, 'findings' | 'method'> {
  readonly method: Omit<Method, 'dns'> & {
    readonly dns: Omit<NonNullable<Method['dns']>, 'because'> | null;
  };
}

/**
 * Measure every workload at every pool size, by short rounds in turn, and say which size suits it.
 *
 * A workload that fails is part of the result (`failure`), with what was measured before. When `signal` aborts, the
 * processes are ended and the result holds the complete blocks (`method.interrupted`).
 *
 * @throws {PlimsollError} when nothing can be measured at all: no temporary directory, no resolver.
 */
export async function bench(options: BenchPlan, context: BenchContext): Promise<Measured> {
  const { guardian, signal } = context;
  const startedAt = new Date();
  const directory = guardian.temporaryDirectory();
  const environment = captureEnvironment({ directory });
  const resolver = options.workloads.some(({ usesDns }) => usesDns)
    ? await openResolver(options.dns, guardian)
    : null;
  try {
    const workloads = await measureAll(options, context, { directory, resolver });
    return {
      schema: 'plimsoll/1',
      kind: 'bench',
      environment,
      method: {
        mode: options.isolated ? 'isolated' : 'resized',
        timeMs: options.timeMs,
        baseline: options.baseline,
        sizes: [...options.sizes],
        seed: options.seed,
        level: LEVEL,
        dns: resolver && {
          mode: resolver.mode,
          delayMs: resolver.delayMs,
          description: resolver.description,
          requested: resolver.requested,
          refused: [...resolver.refused],
        },
        startedAt: startedAt.toISOString(),
        seconds: (Date.now() - startedAt.getTime()) / 1000,
        interrupted: signal.aborted,
      },
      workloads,
    };
  } finally {
    await resolver?.close();
    guardian.remove(directory);
  }
}

interface Place {
  readonly directory: string;
  readonly resolver: ChosenResolver | null;
}

async function measureAll(
  options: BenchPlan,
  context: BenchContext,
  place: Place,
): Promise<WorkloadResult[]> {
  const random = createRandom(options.seed);
  const results: WorkloadResult[] = [];
  for (const workload of options.workloads) {
    const report = reporter(workload, results.length, options, context);
    try {
      results.push(await measure(workload, options, { context, place, random, report }));
    } catch (error) {
      // It was interrupted before anything of it was measured.
      if (context.signal.aborted) break;
      if (!(error instanceof PlimsollError)) throw error;
      results.push(failedWorkload(workload, error));
    }
    if (context.signal.aborted || results.at(-1)?.failure?.code === 'PLIMSOLL_POOL_NOT_CREATED') break;
  }
  return results;
}

type Report = (generation: number, known: BenchProgress['known'], spentMs: number) => void;

async function measure(
  workload: ChosenWorkload,
  options: BenchPlan,
  {
    context,
    place: { directory, resolver },
    random,
    report,
  }: {
    context: BenchContext;
    place: Place;
    random: ReturnType<typeof createRandom>;
    report: Report;
  },
): Promise<WorkloadResult> {
  const { sizes, baseline, isolated, timeMs, blocks, deadlineMs } = options;
  report(0, null, 0);
  const used = workload.usesDns ? resolver : null;
  const measured = await contestPools<number>(
    {
      ids: sizes,
      ...{ baseline, isolated, timeMs, blocks, random },
      armOf: (arm) => ({
        spec: workload.spec,
        size: arm === 'twin' ? baseline : arm,
        process: workload.name,
      }),
      process: { directory, names: used?.names ?? [], prefix: used?.prefix ?? [], deadlineMs },
      judge: (until, spentMs) => {
        const known = compareRounds(until, options);
        report(until.generations, known, spentMs);
        // One size alone is compared with nothing but its twin.
        const settled = sizes.length === 1 ? until.generations >= FIRST_LOOK : (known?.settled ?? false);
        return { settled, hopeless: known?.hopeless ?? [], between: known?.between ?? 0 };
      },
    },
    context,
  );
  return analyseWorkload(workload, measured, options);
}

/** Tells how far the whole is, by this workload among all. */
function reporter(
  { name }: ChosenWorkload,
  done: number,
  { timeMs, workloads }: BenchPlan,
  { onProgress }: BenchContext,
): Report {
  return (generation, known, spentMs) => {
    const share = (done + (timeMs === null ? 0 : Math.min(1, spentMs / timeMs))) / workloads.length;
    const leftMs = timeMs === null ? null : (1 - share) * workloads.length * timeMs;
    onProgress?.({ workload: name, generation, known, share, leftMs });
  };
}
