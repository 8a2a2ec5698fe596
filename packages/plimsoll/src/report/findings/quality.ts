import { change, formatCount, percent } from '../format.js';
import { canJudge, type WorkloadRule } from './context.js';

/** Baseline and twin differ though they are the same: nothing else from this workload can be believed. */
export const noisy: WorkloadRule = ({ name, noise }) =>
  noise?.noisy
    ? [
        {
          id: 'bench.noisy',
          severity: 'warning',
          text: `${name}: NOISY: the baseline differs from itself by ${percent(noise.aaRatio - 1)} %; no ranking is given. Quieten the machine and run again`,
          evidence: { aaRatio: noise.aaRatio, aaInterval: [...noise.aaInterval] },
        },
      ]
    : [];

/** Sizes that could not be told from the baseline, nor shown to equal it. */
export const unclear: WorkloadRule = (workload, { baseline }) => {
  if (!canJudge(workload)) return [];
  return workload.sizes
    .filter(({ size, verdict }) => size !== baseline && verdict === 'unclear')
    .map(({ size, interval: [low, high], blocksToResolve }) => ({
      id: 'bench.unclear',
      severity: 'note' as const,
      text:
        `${workload.name}: ${size} against ${baseline} is unclear: its time lies between ${change(low)} and ${change(high)}, the noise threshold is ${percent(workload.noise?.threshold ?? 0)} %` +
        (blocksToResolve === null ? '' : `; about ${blocksToResolve} more blocks would settle it (--blocks)`),
      evidence: { size, interval: [low, high], blocksToResolve },
    }));
};

/** Blocks that the machine disturbed and that were run again, and disturbed runs that were kept. */
export const disturbed: WorkloadRule = (workload) => {
  const runs = [...workload.sizes.flatMap((size) => size.runs), ...workload.twinRuns];
  const marked = runs.filter(
    ({ superseded, disturbances }) => !superseded && disturbances.some((kind) => kind !== 'not-steady'),
  );
  if (workload.repeatedBlocks === 0 && marked.length === 0) return [];
  const kinds = [...new Set(runs.flatMap(({ disturbances }) => disturbances))].filter(
    (kind) => kind !== 'not-steady',
  );
  const consequences = [
    ...(workload.repeatedBlocks === 0 ? [] : [`${formatCount(workload.repeatedBlocks, 'block')} repeated`]),
    ...(marked.length === 0 ? [] : [`${formatCount(marked.length, 'disturbed run')} kept`]),
  ];
  return [
    {
      id: 'bench.disturbed',
      severity: 'note',
      text: `${workload.name}: the machine disturbed some runs (${kinds.join(', ')}): ${consequences.join(', ')}`,
      evidence: {
        repeatedBlocks: workload.repeatedBlocks,
        disturbedRuns: marked.length,
        disturbances: kinds,
      },
    },
  ];
};

/** Runs that had not settled: their rounds still drifted when they ended. */
export const notSteady: WorkloadRule = (workload) => {
  const runs = workload.sizes.flatMap((size) => size.runs).filter(({ superseded }) => !superseded);
  const drifting = runs.filter(({ disturbances }) => disturbances.includes('not-steady'));
  if (drifting.length * 2 <= runs.length) return [];
  return [
    {
      id: 'bench.not-steady',
      severity: 'note',
      text: `${workload.name}: the rounds of ${drifting.length} of ${runs.length} runs still differed by more than 5 % at the end`,
      evidence: { notSteadyRuns: drifting.length, runs: runs.length },
    },
  ];
};
