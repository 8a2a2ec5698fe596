import { itemAt } from '../collections/item-at.js';
import type { TracedJob, TracedOperation, TracedRequest } from '../results/trace.js';

/** An operation of a request: its first job, and when it began and ended. */
interface Call {
  /** Its name, and the how-manieth of that name it is in its request. */
  readonly key: string;
  readonly first: number;
  readonly last: number;
  readonly beginMs: number;
  readonly endMs: number;
  /** Where the parent of its first job is among the calls; -1 for none. */
  readonly after: number;
}

/** Requests of more operations are not looked at pair by pair. */
const MOST_CALLS = 60;

/**
 * What operations of a request wait for besides the one that released them, as after `Promise.all`: others that were complete
 * before and from which nothing else follows. That may be chance, when two chains run beside one another; so in no request of
 * the route may such an operation have begun before the other one was over.
 *
 * @param own of each request its jobs
 * @returns for the first job of an operation the last jobs of those that it waits for.
 */
export function joinsOf(
  jobs: readonly TracedJob[],
  operations: readonly TracedOperation[],
  requests: readonly TracedRequest[],
  own: readonly (readonly number[])[],
): Map<number, number[]> {
  const all = requests.map(({ route }, request) => ({
    route,
    calls: callsOf(jobs, operations, itemAt(own, request)),
  }));
  const independent = new Set<string>();
  for (const { route, calls } of all)
    if (calls.length <= MOST_CALLS)
      for (const one of calls)
        for (const other of calls)
          if (one.beginMs < other.endMs && other.beginMs < one.beginMs)
            independent.add(pairKey(route, other, one));
  const joins = new Map<number, number[]>();
  for (const { route, calls } of all) {
    if (calls.length > MOST_CALLS) continue;
    let open: number[] = [];
    for (const [place, call] of calls.entries()) {
      open = open.filter((other) => other !== call.after);
      if (call.after !== -1) {
        const waited = open.filter((other) => {
          const { endMs } = itemAt(calls, other);
          return endMs <= call.beginMs && !independent.has(pairKey(route, itemAt(calls, other), call));
        });
        if (waited.length > 0)
          joins.set(
            call.first,
            waited.map((other) => itemAt(calls, other).last),
          );
        open = open.filter((other) => !waited.includes(other));
      }
      open.push(place);
    }
  }
  return joins;
}

const pairKey = (route: string, before: Call, after: Call): string =>
  JSON.stringify([route, before.key, after.key]);

/** In the order in which they began. */
function callsOf(
  jobs: readonly TracedJob[],
  operations: readonly TracedOperation[],
  own: readonly number[],
): Call[] {
  const calls: Call[] = [];
  const placeOf = new Map<number, number>();
  const placeOfJob = new Map<number, number>();
  const counts = new Map<string, number>();
  for (const index of own) {
    const { operation, kind, parent, submitMs, callbackMs } = itemAt(jobs, index);
    const known = operation === null ? undefined : placeOf.get(operation);
    if (known !== undefined) {
      placeOfJob.set(index, known);
      const call = itemAt(calls, known);
      if (callbackMs >= call.endMs) calls[known] = { ...call, last: index, endMs: callbackMs };
      continue;
    }
    const name = operation === null ? kind : itemAt(operations, operation).name;
    const number = (counts.get(name) ?? 0) + 1;
    counts.set(name, number);
    const after = parent === null ? -1 : (placeOfJob.get(parent) ?? -1);
    const call = {
      key: `${name} ${number}`,
      first: index,
      last: index,
      beginMs: submitMs,
      endMs: callbackMs,
      after,
    };
    const place = calls.push(call) - 1;
    placeOfJob.set(index, place);
    if (operation !== null) placeOf.set(operation, place);
  }
  return calls;
}
