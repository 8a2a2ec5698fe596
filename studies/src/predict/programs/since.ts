import type { Trace, TracedProcess } from 'plimsoll/lab';

/** A trace without what was begun before a moment, such as the loading of a program; what is left keeps its own. */
export const since = <Recorded extends Trace>(
  trace: Recorded,
  fromMs: (process: TracedProcess) => number,
): Recorded => ({
  ...trace,
  processes: trace.processes.map((process) => processSince(process, fromMs(process))),
});

function processSince(process: TracedProcess, fromMs: number): TracedProcess {
  const requests = kept(process.requests, ({ startMs }) => startMs >= fromMs);
  const operations = kept(process.operations, ({ startMs }) => startMs >= fromMs);
  const jobs = kept(process.jobs, ({ submitMs }) => submitMs >= fromMs);
  return {
    ...process,
    requests: requests.items,
    operations: operations.items.map((one) => ({ ...one, request: requests.placeOf(one.request) })),
    jobs: jobs.items.map((job) => ({
      ...job,
      parent: jobs.placeOf(job.parent),
      operation: operations.placeOf(job.operation),
    })),
  };
}

interface Kept<Item> {
  readonly items: readonly Item[];
  /** Where the one that was at a place is now; `null` when it is gone. */
  placeOf(before: number | null): number | null;
}

function kept<Item>(all: readonly Item[], isKept: (item: Item) => boolean): Kept<Item> {
  const places = new Map<number, number>();
  const items = all.filter((item, index) => {
    const stays = isKept(item);
    if (stays) places.set(index, places.size);
    return stays;
  });
  return { items, placeOf: (before) => (before === null ? null : (places.get(before) ?? null)) };
}
