import {
  type AlternatingRound,
  analyseWorkload,
  type BenchResult,
  type ChosenWorkload,
  findings,
  type Measurement,
  type RoundResult,
  type WorkloadResult,
} from 'plimsoll/lab';

/** A result analysed again from its rounds, by the rules of the code as it is. */
export function analyseAgain(result: BenchResult): BenchResult {
  const { environment, method } = result;
  const workloads = result.workloads.map((workload) => reanalysed(workload, method));
  return {
    ...result,
    workloads,
    findings: findings(workloads, {
      baseline: method.baseline,
      effectiveCpus: environment.cpu.effectiveCpus,
      filesystem: environment.filesystem,
      resolver: method.dns,
    }),
  };
}

function reanalysed(workload: WorkloadResult, options: BenchResult['method']): WorkloadResult {
  const { name, description, parameters, operations, unloadedLatencyMs, method } = workload;
  // Without a trial run nothing was measured.
  if (method === null || operations === null || unloadedLatencyMs === null) return workload;
  const back = (arm: number | 'twin', rounds: readonly RoundResult[]): AlternatingRound<Measurement>[] =>
    rounds.map(({ generation, block, order, group, ...result }) => ({
      ...{ generation, block, order, group, arm },
      result: { ...result, totalCpuSeconds: result.cpuSeconds },
    }));
  const rounds = [
    ...workload.sizes.flatMap((size) => back(size.size, size.rounds)),
    ...back('twin', workload.twinRounds),
  ].sort(
    (a, b) => a.generation - b.generation || a.group - b.group || a.block - b.block || a.order - b.order,
  );
  // Nothing is run: the parameters are those that the workload was given, and no lookup will be made.
  const spec = { kind: 'built-in', name, parameters } as ChosenWorkload['spec'];
  const { repetitions, blocks, mostGenerations, generations, looks, stop, seconds, groups } = method;
  return analyseWorkload(
    {
      workload: { name, description, spec, usesDns: false },
      isolated: method.mode === 'isolated',
      pilot: { operations, unloadedLatencyMs },
      rounds: { repetitions, blocks, mostGenerations },
      groups,
      outcome: { rounds, generations, lost: new Map(), looks, stop, error: undefined },
      observedThreads: new Map(workload.sizes.map(({ size, observedThreads }) => [size, observedThreads])),
      disturbances: workload.disturbances,
      seconds,
    },
    options,
  );
}
