import {
  analyseWorkload,
  type BenchResult,
  type ChosenWorkload,
  evenLooks,
  findings,
  type Measurement,
  type Round,
  type RoundResult,
  type WorkloadResult,
} from '@plimsoll/lab';

/** A result analysed again from its rounds, by the rules of the code as it is. */
export function analyseAgain(result: BenchResult): BenchResult {
  const workloads = result.workloads.map((workload) => reanalysed(workload, result.method));
  return { ...result, workloads, findings: findings(workloads, result) };
}

function reanalysed(workload: WorkloadResult, options: BenchResult['method']): WorkloadResult {
  const { name, description, parameters, operations, unloadedLatencyMs, method } = workload;
  // Without a trial run nothing was measured.
  if (method === null || operations === null || unloadedLatencyMs === null) return workload;
  const back = (
    arm: number | 'twin',
    observed: number | null,
    rounds: readonly RoundResult[],
  ): Round<Measurement>[] =>
    rounds.map(({ generation, block, order, ...result }) => ({
      ...{ generation, block, order, arm },
      result: { ...result, observedThreads: observed, totalCpuSeconds: result.cpuSeconds },
    }));
  const rounds = [
    ...workload.sizes.flatMap((size) => back(size.size, size.observedThreads, size.rounds)),
    ...back('twin', options.baseline, workload.twinRounds),
  ].sort((a, b) => a.generation - b.generation || a.block - b.block || a.order - b.order);
  // Nothing is run: the parameters are those that the workload was given, and no lookup will be made.
  const spec = { kind: 'built-in', name, parameters } as ChosenWorkload['spec'];
  const { mode, fixed, repetitions, blocks, mostGenerations, generations, shares, stop, seconds } = method;
  return analyseWorkload(
    { name, description, spec, usesDns: false },
    {
      ...{ mode, fixed, operations, unloadedLatencyMs, seconds },
      rounds: { repetitions, blocks, mostGenerations, aroundMs: 0, blockMs: 0 },
      outcome: {
        ...{ rounds, generations, stop },
        lost: new Map(),
        // Results of earlier versions do not tell their shares.
        looks: shares.length > 0 ? shares : looksOf(method),
        disturbances: workload.disturbances,
        error: undefined,
      },
    },
    options,
  );
}

const looksOf = ({ generations, mostGenerations, stop }: NonNullable<WorkloadResult['method']>): number[] => {
  const looks = evenLooks(generations, mostGenerations);
  return stop === 'time' || stop === 'generations' ? [...looks.slice(0, -1), 1] : looks;
};
