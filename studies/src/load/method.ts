import { LEVEL } from '@plimsoll/lab';
import { AS_IT_IS, type LoadCase, type LoadPlan, type Table } from './options.js';
import type { LoadResult } from './result.js';
import { BYSTANDER_RATE } from './slice.js';
import { choosesPort } from './target/command.js';

type Method = Omit<LoadResult['method'], 'startedAt' | 'seconds' | 'interrupted'>;

/** Every table that the options ask for, in the order in which they are measured. */
export function tablesOf({ target, cases }: LoadPlan): Table[] {
  if (target.kind !== 'sample') return cases.map((traffic) => ({ mode: target.kind, instances: 1, traffic }));
  return target.modes.flatMap((mode) =>
    cases.map((traffic) => ({
      mode,
      instances: mode.endsWith('cluster') ? target.instances : 1,
      traffic,
    })),
  );
}

/** What a result says about its options; two results with the same method may be put together. */
export function methodOf(options: LoadPlan): Method {
  const { target, sizes, baseline, timeMs, blocks, seed, cases } = options;
  return {
    target: target.kind,
    tables: tablesOf(options).map(({ mode, instances, traffic }) => ({
      mode,
      instances,
      ...describeTraffic(traffic),
    })),
    operation: target.kind === 'sample' ? target.description : null,
    bystanderRate: target.kind === 'sample' || target.bystander !== null ? BYSTANDER_RATE : null,
    timeMs,
    blocks,
    baseline: baseline === AS_IT_IS ? null : baseline,
    sizes: sizes.filter((size) => size !== AS_IT_IS),
    seed,
    level: LEVEL,
    comparedBy: [...new Set(cases.map(({ kind }) => comparedBy(target, kind)))],
  };
}

/** See `timeOf` in analyse.ts, which takes it out of a slice. */
function comparedBy(target: LoadPlan['target'], kind: LoadCase['kind']): Method['comparedBy'][number] {
  if (kind === 'open') return 'httpMs.p99';
  return target.kind === 'sample' ? 'completionMs.mean' : 'httpMs.mean';
}

/** The traffic of a table as results carry it. */
export function describeTraffic(
  traffic: LoadCase,
): Pick<Method['tables'][number], 'case' | 'parallel' | 'requests' | 'rate' | 'durationSeconds'> {
  return traffic.kind === 'closed'
    ? {
        case: traffic.name,
        parallel: traffic.parallel,
        requests: traffic.requests,
        rate: null,
        durationSeconds: null,
      }
    : {
        case: traffic.name,
        parallel: null,
        requests: null,
        rate: traffic.rate,
        durationSeconds: traffic.durationMs / 1000,
      };
}

/** Whether two servers of this kind cannot live at the same time. */
export const ownsPort = (target: LoadPlan['target']): boolean =>
  target.kind === 'url' || (target.kind === 'command' && !choosesPort(target.url));
