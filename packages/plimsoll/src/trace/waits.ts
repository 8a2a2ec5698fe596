import { grouped } from '../collections/grouped.js';
import { sum } from '../collections/sum.js';
import type { Caller } from '../results/trace.js';
import type { TracedProgram } from '../results/trace-summary.js';
import type { Parts } from './budget.js';
import type { Behind } from './pool-use.js';

type Wait = TracedProgram['waits'][number];

const CAUSES = { coreWaitMs: 'core', blockedMs: 'blocked', eventLoopMs: 'loop' } as const;
/** Waits below this share of all waiting are added up by request and cause. */
const LEAST_SHARE = 0.0005;

/** The waiting of all jobs of a program by caller and cause, the wait for a thread also by the holder of the thread. */
export function waitsOf(
  jobs: readonly { readonly caller: Caller; readonly parts: Parts }[],
  behinds: readonly Behind[],
): Wait[] {
  const waits = new Map<string, Wait>();
  const add = (
    { request, kind, frames }: Caller,
    cause: Wait['cause'],
    behind: Wait['behind'],
    ms: number,
  ) => {
    if (ms <= 0) return;
    const key = JSON.stringify([request, kind, frames, cause, behind]);
    const total = (waits.get(key)?.ms ?? 0) + ms;
    waits.set(key, { request, kind, frames: [...frames], cause, behind, ms: total });
  };
  for (const [caller, alike] of grouped(jobs, ({ caller }) => caller))
    for (const part of ['coreWaitMs', 'blockedMs', 'eventLoopMs'] as const)
      add(caller, CAUSES[part], null, sum(alike.map(({ parts }) => parts[part])));
  for (const [victim, holders] of behinds.flatMap((behind) => [...behind]))
    for (const [holder, ms] of holders) add(victim, 'thread', holder === null ? null : siteOf(holder), ms);
  return merged([...waits.values()]);
}

/** The call without its stack: its innermost frame in the app. */
export function siteOf({ request, kind, frames }: Caller): NonNullable<Wait['behind']> {
  const frame = frames.findLast(({ file }) => file !== null) ?? frames.at(-1) ?? null;
  return { request, kind, frame };
}

function merged(waits: readonly Wait[]): Wait[] {
  const total = (some: readonly Wait[]): number => sum(some.map(({ ms }) => ms));
  const least = LEAST_SHARE * total(waits);
  const small = grouped(
    waits.filter(({ ms }) => ms < least),
    ({ request, cause }) => JSON.stringify([request, cause]),
  );
  const added = [...small.values()].map(
    (some): Wait => ({ ...(some[0] as Wait), frames: [], kind: '…', behind: null, ms: total(some) }),
  );
  return [...waits.filter(({ ms }) => ms >= least), ...added].sort((a, b) => b.ms - a.ms);
}
