import pc from 'picocolors';
import { bench, compareModules } from '../api/bench.js';
import type { TypedOptions } from '../api/options.js';
import { usage } from '../errors.js';
import { printable } from '../host/printable.js';
import { benchDocument } from '../report/bench.js';
import { comparisonDocument } from '../report/compare.js';
import { markdown } from '../report/markdown.js';
import { progressLine } from '../report/progress.js';
import type { BenchResult } from '../results/bench.js';
import { type CommandRun, runCommand } from './command-run.js';

export function run(options: TypedOptions<'bench'>): Promise<number> {
  const { against, workloads = [] } = options;
  if (against === undefined) return runCommand(options, (run) => measure(options, run));
  const [module, ...others] = workloads;
  if (module === undefined || others.length > 0) throw usage('--against: takes exactly one module');
  return runCommand(options, async (run) => {
    const result = await compareModules(against, module, options, {
      signal: run.signal,
      onProgress: (state) =>
        run.progress.show(String(state.generation), (width) => progressLine('new against old', state, width)),
    });
    const report = comparisonDocument(result);
    await run.finish(result, options.markdown ? () => markdown(report).trimEnd() : report);
    const { interrupted, findings, verdict } = result;
    if (interrupted) return 130;
    if (findings.some(({ id }) => id === 'compare.lost')) return 4;
    return { worse: 1, unclear: 3, same: 0, better: 0 }[verdict];
  });
}

async function measure(
  options: TypedOptions<'bench'>,
  { progress, signal, finish, say }: CommandRun,
): Promise<number> {
  const result = await bench(options, {
    signal,
    onProgress: (state) =>
      progress.show(`${state.workload} ${state.generation}`, (width) =>
        progressLine(state.workload, state, width),
      ),
  });
  await finish(result, benchDocument(result));
  for (const { name, failure, lost } of result.workloads)
    for (const { message } of [...lost, ...(failure === null ? [] : [failure])])
      say(`${pc.red('plimsoll:')} ${printable(name)}: ${printable(message)}`);
  return exitCodeOf(result, options.strict === true);
}

/** 130 interrupted, 2 a module that is no workload, 4 a workload or a size that failed, 3 (strict only) too noisy to tell. */
export function exitCodeOf({ method, workloads }: BenchResult, strict: boolean): number {
  if (method.interrupted) return 130;
  const failure = workloads.find((workload) => workload.failure !== null)?.failure;
  if (failure) return failure.code === 'PLIMSOLL_BAD_WORKLOAD' ? 2 : 4;
  if (workloads.some(({ lost }) => lost.length > 0)) return 4;
  return strict && workloads.some(({ noise }) => noise?.noisy) ? 3 : 0;
}
