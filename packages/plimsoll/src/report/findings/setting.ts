import type { WorkloadResult } from '../../results/bench.js';
import type { Finding } from '../../results/finding.js';
import { FIRST_LOOK } from '../../stats/looks.js';
import { list } from '../format.js';
import { canJudge, type FindingContext, type WorkloadRule, whyResolver } from './context.js';

/** Files in memory say nothing about a disk. */
export const filesInMemory: WorkloadRule = ({ name }, { filesystem }) =>
  (name === 'file' || name === 'mixed') && filesystem.isMemory === true
    ? [
        {
          id: 'bench.files-in-memory',
          severity: 'warning',
          text: `${name}: the files were on ${filesystem.type}, which is memory, not a disk; set TMPDIR to a directory on one`,
          evidence: { filesystem: filesystem.type },
        },
      ]
    : [];

/** Lookups that no network took part in. */
export const lookupsWithoutNetwork: WorkloadRule = ({ name }, { resolver }) =>
  name === 'dns' && resolver !== null && resolver.mode !== 'system'
    ? [
        {
          id: 'bench.lookups-without-network',
          severity: 'note',
          text: `dns: answered by ${resolver.description} (${whyResolver(resolver)})`,
          evidence: { mode: resolver.mode, refused: resolver.refused },
        },
      ]
    : [];

/** Too few generations for any verdict. */
export function estimatesOnly(workloads: readonly WorkloadResult[]): Finding[] {
  const short = workloads.filter(
    (workload) => !canJudge(workload) && workload.noise?.noisy === false && workload.sizes.length > 1,
  );
  if (short.length === 0) return [];
  const generations = short.map(({ method }) => method?.generations ?? 0);
  return [
    {
      id: 'bench.estimates-only',
      severity: 'note',
      text: `${list(short.map(({ name }) => name))}: estimates, not verdicts: there was no time for ${FIRST_LOOK} generations of processes; give more (--time), or less to do (--ops, --scale)`,
      evidence: { generations, least: FIRST_LOOK },
    },
  ];
}

/** Across workloads: one size that is as good as the best for all, or that there is none. */
export function oneSizeForAll(workloads: readonly WorkloadResult[], { baseline }: FindingContext): Finding[] {
  const known = workloads.filter(({ recommended }) => recommended !== null);
  if (known.length < 2) return [];
  const names = list(known.map(({ name }) => name));
  const common = (known[0] as WorkloadResult).asGood.filter((size) =>
    known.every(({ asGood }) => asGood.includes(size)),
  );
  const smallest = common.length === 0 ? null : Math.min(...common);
  const evidence = Object.fromEntries(known.map(({ name, asGood }) => [name, [...asGood]]));
  if (smallest === null)
    return [
      {
        id: 'bench.no-size-for-all',
        severity: 'advice',
        text: `no measured size is as good as the best for all of ${names}: choose by the work that matters most`,
        evidence,
      },
    ];
  return [
    {
      id: 'bench.one-size-for-all',
      severity: 'advice',
      text: `${smallest} is the smallest size that is as good as the best for all of ${names}${smallest === baseline ? ': leave it as it is' : ''}`,
      evidence: { ...evidence, size: smallest },
    },
  ];
}
