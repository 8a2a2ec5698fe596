import { printable } from '../../host/printable.js';
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
          evidence: {
            aaRatio: noise.aaRatio,
            aaInterval: noise.aaInterval === null ? null : [...noise.aaInterval],
          },
        },
      ]
    : [];

/** Sizes that could not be told from the baseline, nor shown to equal it. */
export const unclear: WorkloadRule = (workload, { baseline }) => {
  // Once settled, narrow intervals around 1 are as good as a verdict.
  if (!canJudge(workload) || workload.settled) return [];
  return workload.sizes.flatMap(({ size, verdict, interval }) => {
    if (size === baseline || verdict !== 'unclear' || interval === null) return [];
    const [low, high] = interval;
    return [
      {
        id: 'bench.unclear',
        severity: 'note' as const,
        text: `${workload.name}: ${size} against ${baseline} is unclear: its time lies between ${change(low)} and ${change(high)}; more time would tell (--time)`,
        evidence: { size, interval: [low, high] },
      },
    ];
  });
};

/** Sizes that dropped out on the way. */
export const lost: WorkloadRule = ({ name, lost: out }) =>
  out.map(({ size, code, message }) => ({
    id: 'bench.lost-size',
    severity: 'warning' as const,
    text: `${name}: ${size} is out: ${printable(message)}`,
    evidence: { size, code },
  }));

/** What the machine did meanwhile. Rounds of all sizes are hit alike, so it costs precision and not truth. */
export const disturbed: WorkloadRule = ({ name, disturbances, method }) => {
  if (disturbances.length === 0 || method === null) return [];
  const kinds = [...new Set(disturbances.flatMap(({ what }) => what))];
  return [
    {
      id: 'bench.disturbed',
      severity: 'note',
      text: `${name}: the machine was disturbed in ${disturbances.length} of ${formatCount(method.generations, 'generation')} (${kinds.join(', ')}), which hit all sizes alike`,
      evidence: { disturbedGenerations: disturbances.length, disturbances: kinds },
    },
  ];
};
