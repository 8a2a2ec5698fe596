import { PlimsollError } from '../errors.js';
import { captureEnvironment } from '../host/environment.js';
import type { Supervision } from '../lab/guardian.js';
import { openResolver } from '../lab/resolver/resolver.js';
import type { BenchResult, WorkloadResult } from '../results/bench.js';
import { LEVEL } from '../stats/intervals.js';
import { FIRST_LOOK } from '../stats/looks.js';
import { createRandom } from '../stats/random.js';
import { analyseWorkload, compareRounds, failedWorkload } from './analyse.js';
import type { BenchPlan, BenchProgress, ChosenWorkload } from './options.js';
import { contestPools, type PoolsOutcome, type PoolsPlan } from './pools.js';

export type Measured = Omit<BenchResult, 'findings'>;

export async function bench(plan: BenchPlan, context: Supervision<BenchProgress>): Promise<Measured> {
  const { guardian, signal } = context;
  const { isolated, timeMs, baseline, sizes, seed, deadlineMs } = plan;
  const startedAt = new Date();
  const directory = guardian.temporaryDirectory();
  const environment = captureEnvironment({ directory });
  const usesDns = plan.workloads.some((workload) => workload.usesDns);
  const resolver = usesDns ? await openResolver(guardian) : null;
  const random = createRandom(seed);
  const workloads: WorkloadResult[] = [];
  try {
    for (const workload of plan.workloads) {
      const { names, prefix } = (workload.usesDns && resolver) || { names: [], prefix: [] };
      const process = { directory, names, prefix, deadlineMs };
      const tell = (generation: number, spentMs: number): void => {
        const spent = timeMs === null ? 0 : Math.min(1, spentMs / timeMs);
        const share = (workloads.length + spent) / plan.workloads.length;
        const leftMs = timeMs === null ? null : (1 - share) * plan.workloads.length * timeMs;
        context.onProgress?.({ workload: workload.name, generation, share, leftMs });
      };
      try {
        const measured = await measure(workload, plan, { process, random }, context, tell);
        workloads.push(analyseWorkload(workload, measured, plan));
      } catch (error) {
        // It was interrupted before anything of it was measured.
        if (signal.aborted) break;
        if (!(error instanceof PlimsollError)) throw error;
        workloads.push(failedWorkload(workload, error));
      }
      if (signal.aborted || workloads.at(-1)?.failure?.code === 'PLIMSOLL_POOL_NOT_CREATED') break;
    }
    return {
      ...{ schema: 'plimsoll/1', kind: 'bench', environment },
      method: {
        mode: isolated ? 'isolated' : 'resized',
        ...{ timeMs, baseline, sizes: [...sizes], seed, level: LEVEL },
        dns: resolver && {
          ...{ mode: resolver.mode, delayMs: resolver.delayMs, description: resolver.description },
          because: resolver.because,
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

function measure(
  workload: ChosenWorkload,
  plan: BenchPlan,
  processes: Pick<PoolsPlan<number>, 'process' | 'random'>,
  context: Supervision,
  tell: (generation: number, spentMs: number) => void,
): Promise<PoolsOutcome<number>> {
  const { sizes, baseline, isolated, timeMs, blocks } = plan;
  tell(0, 0);
  return contestPools<number>(
    {
      ...{ ids: sizes, baseline, isolated, timeMs, blocks, ...processes },
      armOf: (arm) => ({
        ...{ spec: workload.spec, size: arm === 'twin' ? baseline : arm, process: workload.name },
      }),
      judge: (until, spentMs) => {
        const known = compareRounds(until, plan);
        tell(until.generations, spentMs);
        // One size alone is compared with nothing but its twin.
        const settled = sizes.length === 1 ? until.generations >= FIRST_LOOK : (known?.settled ?? false);
        return { settled, hopeless: known?.hopeless ?? [], between: known?.between ?? 0 };
      },
    },
    context,
  );
}
