import type { Caller, TracedProcess } from '../results/trace.js';
import type { TracedProgram } from '../results/trace-summary.js';
import type { Parts } from './budget.js';
import type { PoolUse } from './pool-use.js';

type Wait = TracedProgram['waits'][number];

const CAUSES = { core: 'coreWaitMs', blocked: 'blockedMs', loop: 'eventLoopMs' } as const;
/** What is less of all waiting is put together, by request and cause. */
const LEAST_SHARE = 0.0005;

/** The waiting of all jobs of a program, by who called them and by its cause; that for a thread by who had the threads, too. */
export function waitsOf(
  processes: readonly TracedProcess[],
  parts: readonly (readonly Parts[])[],
  uses: readonly Pick<PoolUse, 'behind'>[],
): Wait[] {
  const waits = new Map<string, Wait>();
  const add = (caller: Caller, cause: Wait['cause'], behind: Wait['behind'], ms: number): void => {
    if (ms <= 0) return;
    const key = JSON.stringify([caller, cause, behind]);
    const { request, kind, frames } = caller;
    const before = waits.get(key)?.ms ?? 0;
    waits.set(key, { request, kind, frames: [...frames], cause, behind, ms: before + ms });
  };
  for (const [at, { jobs }] of processes.entries()) {
    const sums = new Map<Caller, Record<keyof typeof CAUSES, number>>();
    for (const [index, { caller }] of jobs.entries()) {
      const sum = sums.get(caller) ?? { core: 0, blocked: 0, loop: 0 };
      sums.set(caller, sum);
      for (const cause of ['core', 'blocked', 'loop'] as const)
        sum[cause] += parts[at]?.[index]?.[CAUSES[cause]] ?? 0;
    }
    for (const [caller, sum] of sums)
      for (const cause of ['core', 'blocked', 'loop'] as const) add(caller, cause, null, sum[cause]);
    for (const [victim, blockers] of uses[at]?.behind ?? [])
      for (const [blocker, ms] of blockers)
        add(victim, 'thread', blocker === null ? null : siteOf(blocker), ms);
  }
  return merged([...waits.values()]);
}

/** The call alone, without the way to it: its innermost frame in the app. */
export function siteOf({ request, kind, frames }: Caller): NonNullable<Wait['behind']> {
  const frame = frames.findLast(({ file }) => file !== null) ?? frames.at(-1) ?? null;
  return { request, kind, frame };
}

function merged(waits: readonly Wait[]): Wait[] {
  const least = LEAST_SHARE * waits.reduce((sum, { ms }) => sum + ms, 0);
  const small = new Map<string, Wait>();
  for (const wait of waits.filter(({ ms }) => ms < least)) {
    const key = JSON.stringify([wait.request, wait.cause]);
    const ms = (small.get(key)?.ms ?? 0) + wait.ms;
    small.set(key, { ...wait, frames: [], kind: '…', behind: null, ms });
  }
  return [...waits.filter(({ ms }) => ms >= least), ...small.values()].sort((a, b) => b.ms - a.ms);
}
