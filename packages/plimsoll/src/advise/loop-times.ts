import { itemAt } from '../collections/item-at.js';
import type { Workload } from '../model/workload.js';
import type { LoopCosts } from './loop-costs.js';
import { DIRECT_MS, type Step } from './steps.js';

/** Submissions that follow one another this closely come from one turn of the event loop. */
const SAME_TURN_MS = 0.3;

type Times = Pick<Workload, 'atMs' | 'direct' | 'beforeMs' | 'afterMs'>;

/** When steps come, and what the event loops take for them. */
export function timesOfLoops(
  steps: readonly Step[],
  places: ReadonlyMap<Step, number>,
  costs: readonly LoopCosts[],
  hasRequests: readonly boolean[],
): Times {
  const times: Times = {
    atMs: new Float64Array(steps.length),
    direct: Uint8Array.from(steps, ({ direct }) => Number(direct)),
    beforeMs: Float64Array.from(steps, ({ job, process }) =>
      job === null ? 0 : itemAt(costs, process).perJobMs / 2,
    ),
    afterMs: Float64Array.from(steps, ({ job, process }) =>
      job === null ? 0 : itemAt(costs, process).perJobMs / 2,
    ),
  };
  setArrivals(times, steps, places);
  for (const [process, has] of hasRequests.entries())
    if (has) setSegments(times, steps, { process, cost: itemAt(costs, process) });
  return times;
}

function setArrivals(
  { atMs, direct, beforeMs, afterMs }: Times,
  steps: readonly Step[],
  places: ReadonlyMap<Step, number>,
): void {
  const longest = new Float64Array(steps.length);
  const turns = new Map<string, { lastMs: number; arrivedMs: number }>();
  for (const [place, { parent, timeMs, loopThread, process, what }] of steps.entries()) {
    const of = parent === null ? undefined : places.get(parent);
    if (parent !== null && of !== undefined) {
      const delay = Math.max(0, timeMs - parent.doneMs);
      atMs[place] = delay;
      if (direct[place] === 0) continue;
      // What its submission takes is part of that callback.
      afterMs[of] = itemAt(afterMs, of) + itemAt(beforeMs, place);
      longest[of] = Math.max(itemAt(longest, of), delay);
      continue;
    }
    if (what === 'arrival') {
      atMs[place] = timeMs;
      continue;
    }
    const key = `${process} ${loopThread}`;
    const turn = turns.get(key);
    const gap = turn === undefined ? Number.POSITIVE_INFINITY : timeMs - turn.lastMs;
    if (gap <= SAME_TURN_MS) beforeMs[place] = gap;
    const arrivedMs =
      gap <= SAME_TURN_MS
        ? (turn as { arrivedMs: number }).arrivedMs
        : Math.max(0, timeMs - itemAt(beforeMs, place));
    atMs[place] = arrivedMs;
    turns.set(key, { lastMs: timeMs, arrivedMs });
  }
  for (const [job, delay] of longest.entries()) afterMs[job] = Math.max(itemAt(afterMs, job), delay);
}

/** What each step took in its callback until it released another one; the longest counts. */
export function computedUntilRelease(steps: readonly Step[]): Map<Step, number> {
  const seen = new Map<Step, number>();
  for (const { parent, direct, timeMs } of steps)
    if (parent !== null && direct)
      seen.set(parent, Math.max(seen.get(parent) ?? 0, timeMs - parent.doneMs, 0));
  return seen;
}

/**
 * Divide what the loop of a process with requests used among the segments of their steps. A step that releases another in its
 * callback computed until then. The time before the end of an answer, and that from a request to what it released late, may be
 * computing or waiting: they are given what is left of the loop's CPU time, as far as that goes. What is left then is spread evenly.
 */
function setSegments(
  { atMs, direct, beforeMs, afterMs }: Times,
  steps: readonly Step[],
  { process, cost }: { readonly process: number; readonly cost: LoopCosts },
): void {
  const own = [...steps.keys()].filter((place) => itemAt(steps, place).process === process);
  const seen = computedUntilRelease(own.map((place) => itemAt(steps, place)));
  const unclear: number[] = [];
  let unclearMs = 0;
  let jobs = 0;
  let asked = 0;
  for (const place of own) {
    const { parent, what, job } = itemAt(steps, place);
    if (job !== null) jobs++;
    if (what === 'arrival') asked++;
    if (parent === null) continue;
    const gap = itemAt(atMs, place);
    if (direct[place] === 1) continue;
    if (what === 'end' || (parent.what === 'arrival' && job?.cause === 'request')) {
      unclear.push(place);
      unclearMs += gap;
    }
  }
  const seenMs = [...seen.values()].reduce((sum, ms) => sum + ms, 0);
  const usedMs = cost.perJobMs * jobs + cost.perRequestMs * asked;
  const scale = usedMs > 0 && seenMs > usedMs ? usedMs / seenMs : 1;
  const leftMs = Math.max(0, usedMs - seenMs * scale);
  const portion = unclearMs > 0 ? Math.min(1, leftMs / unclearMs) : 0;
  const evenly = (leftMs - portion * unclearMs) / Math.max(1, jobs + asked);
  for (const place of own) {
    const { what } = itemAt(steps, place);
    const computed = (seen.get(itemAt(steps, place)) ?? 0) * scale;
    beforeMs[place] = what === 'arrival' ? computed + evenly : 0;
    afterMs[place] = what === 'job' ? computed + evenly : 0;
  }
  for (const place of unclear) {
    const gap = itemAt(atMs, place);
    atMs[place] = gap * (1 - portion);
    beforeMs[place] = gap * portion;
    // A short way to the end is none that something else would come between.
    if (itemAt(atMs, place) <= DIRECT_MS / 10) atMs[place] = 0;
  }
}
