import {
  analyseWorkload,
  type BenchResult,
  type BlockRun,
  type ChosenWorkload,
  findings,
  type Measurement,
  type RunResult,
  type WorkloadResult,
} from 'plimsoll/lab';

/** A result analysed again from its runs, by the rules of the code as it is. */
export function analyseAgain(result: BenchResult): BenchResult {
  const { environment, method } = result;
  const workloads = result.workloads.map((workload) => reanalysed(workload, method));
  const noises = workloads.flatMap(({ noise }) => noise ?? []);
  return {
    ...result,
    workloads,
    noise: noises.toSorted((a, b) => b.threshold - a.threshold)[0] ?? null,
    findings: findings(workloads, {
      baseline: method.baseline,
      effectiveCpus: environment.cpu.effectiveCpus,
      filesystem: environment.filesystem,
      resolver: method.dns,
    }),
  };
}

function reanalysed(workload: WorkloadResult, options: BenchResult['method']): WorkloadResult {
  const { name, description, parameters, rounds, operations, repeatedBlocks } = workload;
  // Without a pilot nothing was measured.
  if (rounds === null || operations === null) return workload;
  const back = (arm: number | 'twin', run: RunResult) => blockRun(arm, run, operations, rounds);
  const runs = [
    ...workload.sizes.flatMap(({ size, runs }) => runs.map((run) => back(size, run))),
    ...workload.twinRuns.map((run) => back('twin', run)),
  ].sort((a, b) => a.block - b.block || Number(b.superseded) - Number(a.superseded) || a.order - b.order);
  // Nothing is run: the parameters are those that the workload was given, and no lookup will be made.
  const spec = { kind: 'built-in', name, parameters } as ChosenWorkload['spec'];
  return analyseWorkload({
    workload: { name, description, spec, usesDns: false },
    rounds,
    outcome: { runs, repeatedBlocks, error: undefined },
    options,
  });
}

/** A run as it was before it was reduced to its result. */
function blockRun(
  arm: number | 'twin',
  run: RunResult,
  operations: number,
  rounds: number,
): BlockRun<Measurement> {
  const { block, order, superseded, disturbances } = run;
  return {
    block,
    order,
    arm,
    superseded,
    disturbances: disturbances.filter((one) => one !== 'not-steady'),
    result: {
      ...run,
      operations,
      rounds,
      totalCpuSeconds: run.cpuSeconds,
      steady: !disturbances.includes('not-steady'),
    },
  };
}
