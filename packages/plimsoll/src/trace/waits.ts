import { grouped } from '../collections/grouped.js';
import { sum } from '../collections/sum.js';
import type { Caller } from '../results/trace.js';
import type { TracedProgram } from '../results/trace-summary.js';
import type { TimedJob } from './budget.js';
import type { Behind } from './pool-use.js';

type Wait = TracedProgram['waits'][number];

/** What is less of all waiting is put together, by request and cause. */
const LEAST_SHARE = 0.0005;

/** The waiting of all jobs of a program, by who called and by its cause; that for a thread by who had the threads, too. */
export function waitsOf(timed: readonly TimedJob[], behind: readonly Behind[]): Wait[] {
  const forOthers = [...grouped(timed, ({ job }) => job.caller)].flatMap(([caller, alike]) => [
    waitOf(caller, 'core', null, sum(alike.map(({ parts }) => parts.coreWaitMs))),
    waitOf(caller, 'blocked', null, sum(alike.map(({ parts }) => parts.blockedMs))),
    waitOf(caller, 'loop', null, sum(alike.map(({ parts }) => parts.eventLoopMs))),
  ]);
  const forThreads = behind.flatMap((victims) =>
    [...victims].flatMap(([victim, holders]) =>
      [...holders].map(([holder, ms]) => waitOf(victim, 'thread', holder, ms)),
    ),
  );
  const waits = together([...forOthers, ...forThreads].filter(({ ms }) => ms > 0));
  const least = LEAST_SHARE * sum(waits.map(({ ms }) => ms));
  const small = waits.filter(({ ms }) => ms < least);
  return [
    ...waits.filter(({ ms }) => ms >= least),
    ...together(small.map((wait) => ({ ...wait, frames: [], kind: '…', behind: null }))),
  ].sort((a, b) => b.ms - a.ms);
}

const waitOf = (
  { request, kind, frames }: Caller,
  cause: Wait['cause'],
  holder: Caller | null,
  ms: number,
): Wait => ({
  ...{ request, kind, frames: [...frames], cause },
  ...{ behind: holder === null ? null : siteOf(holder), ms },
});

/** One for those that differ in their time only. */
const together = (waits: readonly Wait[]): Wait[] =>
  [...grouped(waits, ({ ms, ...wait }) => JSON.stringify(wait))].map(([, alike]) => ({
    ...(alike[0] as Wait),
    ms: sum(alike.map(({ ms }) => ms)),
  }));

/** The call alone, without the way to it: its innermost frame in the app. */
export function siteOf({ request, kind, frames }: Caller): NonNullable<Wait['behind']> {
  const frame = frames.findLast(({ file }) => file !== null) ?? frames.at(-1) ?? null;
  return { request, kind, frame };
}
