import { printable } from '../host/printable.js';
import type { Recording, TracedRequest } from '../results/trace.js';
import labels from '../target/child/labels.cjs';
import type { RequestRow } from './child/requests/lines.cjs';
import table from './child/requests/table.cjs';
import type { ProcessLog } from './process-log.js';

type Note = Recording['notes'][number];

/** The requests of a process, in the order of arrival. */
export interface Requests {
  readonly requests: readonly TracedRequest[];
  /** The index of a request by its thread and the number that it had there; `null` for none. */
  readonly indexOf: (thread: number, number: number) => number | null;
  readonly notes: readonly Note[];
}

/**
 * Requests from what the threads of a process wrote.
 *
 * @param clock from microseconds of process.hrtime to milliseconds since the recording began.
 */
export function tracedRequests(
  { requests: lines, routes, process }: Pick<ProcessLog, 'requests' | 'routes' | 'process'>,
  clock: (us: number) => number,
): Requests {
  const nameOf = routeNames(routes);
  const connectionOf = connectionNumbers();
  const all = [...newestRows(lines)].flatMap(([thread, rows]) =>
    [...rows.values()].map((row) => ({ thread, row })),
  );
  const inOrder = all.toSorted((a, b) => a.row[4] - b.row[4]);
  const indices = new Map(inOrder.map(({ thread, row }, index) => [`${thread} ${row[0]}`, index]));
  const dropped = sum([...droppedBy(lines).values()]);
  return {
    requests: inOrder.map(({ thread, row }) => tracedRequest(thread, row, { nameOf, connectionOf, clock })),
    indexOf: (thread, number) => indices.get(`${thread} ${number}`) ?? null,
    notes: dropped === 0 ? [] : [{ id: 'trace.requests-bound', pid: process.pid, count: dropped }],
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** By thread and number; a request that had begun is written again when it has ended. */
function newestRows(lines: ProcessLog['requests']): Map<number, Map<number, RequestRow>> {
  const byThread = new Map<number, Map<number, RequestRow>>();
  for (const { thread, rows } of lines) {
    let own = byThread.get(thread);
    if (own === undefined) {
      own = new Map();
      byThread.set(thread, own);
    }
    for (const row of rows) own.set(row[0], row);
  }
  return byThread;
}

const droppedBy = (lines: ProcessLog['requests']): Map<number, number> =>
  new Map(lines.map(({ thread, dropped }) => [thread, dropped]));

/** Names of routes as reports may show them; the threads of a process together have no more of them than one may. */
function routeNames(routes: ProcessLog['routes']): (thread: number, route: number) => string {
  const names = new Map<string, string>();
  const distinct = new Set<string>();
  for (const { thread, route, name } of routes) {
    const shown = printable(name);
    const isNew = !distinct.has(shown);
    const kept = isNew && distinct.size >= labels.MOST_ROUTES ? labels.OTHER : shown;
    distinct.add(kept);
    names.set(`${thread} ${route}`, kept);
  }
  return (thread, route) => names.get(`${thread} ${route}`) ?? labels.OTHER;
}

/** Threads count their connections each by itself; here their numbers are those of the process, from 1 on. */
function connectionNumbers(): (thread: number, connection: number) => number {
  const numbers = new Map<string, number>();
  return (thread, connection) => {
    const key = `${thread} ${connection}`;
    const number = numbers.get(key) ?? numbers.size + 1;
    numbers.set(key, number);
    return number;
  };
}

/** The route of a request is known at its end, or after a second. */
const UNKNOWN = '(unknown)';

interface Facts {
  readonly nameOf: (thread: number, route: number) => string;
  readonly connectionOf: (thread: number, connection: number) => number;
  readonly clock: (us: number) => number;
}

function tracedRequest(
  thread: number,
  [, kind, connection, sampled, start, end, ended, route]: RequestRow,
  { nameOf, connectionOf, clock }: Facts,
): TracedRequest {
  const how = table.ENDS[end] ?? 'unfinished';
  const isOver = how !== 'unfinished';
  return {
    kind: table.KINDS[kind] ?? 'http',
    route: route === 0 ? UNKNOWN : nameOf(thread, route),
    connection: connection === 0 ? null : connectionOf(thread, connection),
    loopThread: thread,
    startMs: clock(start),
    endMs: isOver ? clock(Math.max(start, ended)) : null,
    end: how,
    sampled: sampled === 1,
  };
}
