import { fileURLToPath } from 'node:url';
import {
  completeBlocks,
  createRandom,
  estimateRatio,
  median,
  openResolver,
  record,
  runBlocks,
} from 'plimsoll/lab';
import type { LifeCycle } from '../common/command.js';
import { BASELINE, HOLD_OUTS, SIZES } from './cases.js';
import { judge } from './judge.js';
import type { CaseResult } from './result.js';
import { meanLatency, type Plan, type SizedRun } from './run.js';
import { withoutLoading } from './without-loading.js';

type Run = (size: number) => Promise<SizedRun>;

const WORK = fileURLToPath(new URL('./work.js', import.meta.url));
const DNS_DELAY_MS = 40;
/** The work of a workload is the same in every run; one in which it took so much more or less CPU met another machine. */
const MOST_DRIFT = 0.1;
const MOST_REPEATS = 5;

/** Records, predicts and measures one workload. */
export async function measureCase(name: string, plan: Plan, cycle: LifeCycle): Promise<CaseResult> {
  const { guardian, signal } = cycle;
  const resolver =
    name === 'convoy' ? await openResolver({ mode: 'local', delayMs: DNS_DELAY_MS }, guardian) : null;
  const command = [
    ...(resolver?.prefix ?? []),
    ...[process.execPath, WORK, name, String(plan.scale)],
    ...(resolver?.names ?? []),
  ];
  const run: Run = async (size) => {
    const begun = performance.now();
    const trace = await record(command, { size, stdout: 'nowhere' }, { guardian, signal });
    return { size, trace: withoutLoading(trace), ms: performance.now() - begun };
  };
  try {
    const recorded: SizedRun[] = [];
    for (const [size] of HOLD_OUTS) recorded.push(await run(size));
    const { measured, twins } = await sweep(name, plan.runs, run);
    const repeated = await repeatDrifted(name, [recorded, measured], run);
    const baseline = measured.filter(({ size }) => size === BASELINE).map(meanLatency);
    return {
      ...(await judge(name, recorded, measured, plan.objective)),
      repeated,
      twin: estimateRatio(twins.map(meanLatency), baseline),
    };
  } finally {
    await resolver?.close();
  }
}

/** Every size once in each block, in random order, and one of them twice. */
async function sweep(
  name: string,
  blocks: number,
  run: Run,
): Promise<{ measured: SizedRun[]; twins: SizedRun[] }> {
  const outcome = await runBlocks<SizedRun>({
    sizes: SIZES,
    baseline: BASELINE,
    blocks,
    random: createRandom(2026),
    run,
    cpuSecondsOf: () => null,
    onRun: ({ block, arm }) => process.stderr.write(`${name}: block ${block + 1} of ${blocks}, ${arm}\n`),
  });
  if (outcome.error !== undefined) throw outcome.error;
  const complete = completeBlocks(outcome, SIZES);
  const of = (arm: number | 'twin'): SizedRun[] => (complete.get(arm) ?? []).map(({ result }) => result);
  return { measured: SIZES.flatMap(of), twins: of('twin') };
}

/** Run again, in its place, what met a faster or slower machine than most runs did. @returns how many runs that were. */
async function repeatDrifted(name: string, lists: readonly SizedRun[][], run: Run): Promise<number> {
  const known = lists.flat().map(cpuPerJob).filter(Number.isFinite);
  // Jobs of file operations: nothing tells how fast the machine was.
  if (known.length === 0) return 0;
  const usual = median(known);
  const drift = (one: SizedRun): number => Math.abs(cpuPerJob(one) / usual - 1);
  let repeated = 0;
  for (const list of lists)
    for (const [place, first] of list.entries()) {
      let best = first;
      for (let repeat = 1; repeat <= MOST_REPEATS && drift(best) > MOST_DRIFT; repeat++) {
        process.stderr.write(`${name}: size ${first.size} again, the machine was not as fast as usual\n`);
        const again = await run(first.size);
        repeated++;
        if (drift(again) < drift(best)) best = again;
      }
      list[place] = best;
    }
  return repeated;
}

/** Milliseconds, of the jobs whose CPU time is known; NaN without any. */
function cpuPerJob({ trace }: SizedRun): number {
  const known = trace.processes.flatMap(({ jobs }) => jobs.flatMap(({ cpuMs }) => cpuMs ?? []));
  return known.reduce((sum, cpuMs) => sum + cpuMs, 0) / known.length;
}
