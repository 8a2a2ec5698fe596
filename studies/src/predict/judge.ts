import { advise, median, NO_CHANGE, type Verification, verification } from 'plimsoll/lab';
import { CASES, HOLD_OUTS, SIZES } from './cases.js';
import type { CaseResult, Predicted } from './result.js';
import { meanLatency, type Plan, type SizedRun } from './run.js';

/** What is predicted from each recorded run, held against what was measured. */
export function judge(
  name: string,
  recorded: readonly SizedRun[],
  measured: readonly SizedRun[],
  objective: Plan['objective'],
): Omit<CaseResult, 'repeated' | 'twin'> {
  const [first] = recorded;
  return {
    name,
    what: CASES[name] ?? '',
    jobs: first?.trace.processes.reduce((sum, { jobs }) => sum + jobs.length, 0) ?? 0,
    spread: SIZES.map((size) => ({ size, share: spreadOf(measured.filter((one) => one.size === size)) })),
    sweepMs: measured.reduce((sum, { ms }) => sum + ms, 0),
    predictions: recorded.map((run) => predicted(run, measured, objective)),
  };
}

function predicted(
  { size: from, trace, ms }: SizedRun,
  measured: readonly SizedRun[],
  objective: Plan['objective'],
): Predicted {
  const advice = advise(trace, { sizes: SIZES, objective, whatIf: NO_CHANGE, seed: 1 });
  const all = verification(advice.predictions, measured);
  const to = HOLD_OUTS.find(([size]) => size === from)?.[1] ?? [];
  return {
    from,
    recommended: advice.recommended,
    outsideCores: advice.method.outsideCores,
    adviceMs: ms + 1000 * advice.method.seconds,
    compared: all.filter(({ size }) => to.includes(size)),
    own: all.find(({ size }) => size === from) ?? null,
    regret: regretOf(advice.recommended.size, all),
  };
}

/** What the recommended size costs against the best measured one, by mean latency; between measured sizes the next smaller. */
function regretOf(size: number, all: readonly Verification[]): number {
  const own = all.findLast((one) => one.size <= size) ?? all[0];
  const best = Math.min(...all.map(({ measured }) => measured.latencyMs.mean));
  return (own?.measured.latencyMs.mean ?? Number.NaN) / best - 1;
}

function spreadOf(runs: readonly SizedRun[]): number {
  const means = runs.map(meanLatency);
  return (Math.max(...means) - Math.min(...means)) / median(means);
}
