import { itemAt } from '../collections/item-at.js';
import type { Machine } from '../model/machine.js';
import { simulate } from '../model/simulate.js';
import type { Workload } from '../model/workload.js';
import { selectUnits } from './resample.js';
import { type Unit, unitsOf } from './units.js';

/** Of fewer requests nobody can say how fast they come. */
const LEAST_REQUESTS = 20;

/**
 * Whether requests that come at their own times do so faster than a size can serve them, so that their queue grows for ever.
 * Clients who wait for answers never do that.
 *
 * What a size can serve is what all of it takes when it is there from the beginning: twice the requests, less once the requests,
 * so that what only the last ones wait for is not counted.
 */
export function isOverloaded(work: Workload, machine: Machine, size: number, seed: number): boolean {
  const { requests } = work;
  if (requests === undefined) return false;
  const { open } = unitsOf(work);
  const asked = open.filter((unit) => unit.requests.length > 0);
  if (asked.length < LEAST_REQUESTS || 2 * asked.length < requests.end.length) return false;
  const first = itemAt(asked, 0).atMs;
  const spanMs = (asked.at(-1) as Unit).atMs - first;
  const perRoundMs = (spanMs * asked.length) / (asked.length - 1);
  if (isFarFromFull(work, machine, size, spanMs)) return false;
  const during = open.filter(({ atMs }) => atMs >= first && atMs <= first + spanMs);
  const takes = (units: readonly Unit[]): number => {
    const all = selectUnits(
      work,
      units.map((unit) => ({ unit, atMs: 0, slot: null })),
    );
    const { callbackMs } = simulate(all, { size, machine, seed });
    return callbackMs.reduce((last, ms) => Math.max(last, ms), 0);
  };
  return takes([...during, ...during]) - takes(during) > perRoundMs * (1 + TOLERANCE);
}

/** What rounding makes of two equal times. */
const TOLERANCE = 1e-6;

/** Below this share of threads, cores and event loops no queue grows. */
const FAR_FROM_FULL = 0.5;

function isFarFromFull(
  { cpuMs, blockedMs, beforeMs, afterMs, background, processes }: Workload,
  { cores, quota, otherCores }: Machine,
  size: number,
  spanMs: number,
): boolean {
  const sum = (values: Float64Array): number => values.reduce((total, value) => total + value, 0);
  const loops =
    sum(beforeMs) + sum(afterMs) + spanMs * background.reduce((total, { share }) => total + share, 0);
  const free = Math.max(0, (quota ?? cores) - otherCores);
  return (
    sum(cpuMs) + sum(blockedMs) < FAR_FROM_FULL * size * processes * spanMs &&
    sum(cpuMs) + loops < FAR_FROM_FULL * free * spanMs &&
    loops < FAR_FROM_FULL * spanMs
  );
}
