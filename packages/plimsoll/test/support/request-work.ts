import type { Workload } from '#plimsoll/model/workload.js';
import { workloadOf } from './workload.js';

/** A job of a request; `after` are the jobs that it waits for, by their place in it; by default the arrival alone. */
export interface RequestJob {
  readonly cpu?: number;
  readonly blocked?: number;
  readonly after?: readonly number[];
  /** A wait for something else before it. */
  readonly delay?: number;
}

export interface SimpleRequest {
  readonly at?: number;
  readonly route?: string;
  readonly jobs: readonly RequestJob[];
  /** On the event loop when it comes. */
  readonly before?: number;
  /** A wait for something else before its end. */
  readonly delay?: number;
  /** Milliseconds after an answer to the one client group there is; without it, it comes at its own time. */
  readonly think?: number;
  /** It is a client's, though it comes at its own time: the first of that client. */
  readonly isFirst?: boolean;
}

/** A workload of requests: each arrives, its jobs fork and join, and it ends when all that nothing follows from is over. */
export function requestWork(requests: readonly SimpleRequest[]): Workload {
  const steps: { at: number; parent?: number; cpu: number; blocked: number; before: number }[] = [];
  const point: number[] = [];
  const joins: [number, number][] = [];
  const arrival: number[] = [];
  const end: number[] = [];
  for (const { at = 0, jobs, before = 0, delay: last = 0 } of requests) {
    const first = steps.push({ at, cpu: 0, blocked: 0, before }) - 1;
    arrival.push(first);
    point.push(1);
    const isFollowed = new Set(jobs.flatMap(({ after = [] }) => after));
    for (const [index, { cpu = 0, blocked = 0, after = [], delay = 0 }] of jobs.entries()) {
      const [parent = -1, ...others] = after;
      steps.push({ at: delay, parent: first + 1 + parent, cpu, blocked, before: 0 });
      point.push(0);
      for (const other of others) joins.push([first + 1 + index, first + 1 + other]);
    }
    const leaves = jobs.map((_, index) => index).filter((index) => !isFollowed.has(index));
    const [parent = -1, ...others] = leaves;
    const over = steps.push({ at: last, parent: first + 1 + parent, cpu: 0, blocked: 0, before: 0 }) - 1;
    end.push(over);
    point.push(1);
    for (const other of others) joins.push([over, first + 1 + other]);
  }
  const routes = [...new Set(requests.map(({ route = 'GET /' }) => route))];
  const isClients = ({ think, isFirst }: SimpleRequest): boolean => think !== undefined || isFirst === true;
  return {
    ...workloadOf(steps),
    point: Uint8Array.from(point),
    joins: {
      step: Int32Array.from(joins, ([step]) => step),
      after: Int32Array.from(joins, ([, after]) => after),
    },
    requests: {
      routes,
      route: Int32Array.from(requests, ({ route = 'GET /' }) => routes.indexOf(route)),
      arrival: Int32Array.from(arrival),
      end: Int32Array.from(end),
      answered: new Uint8Array(requests.length).fill(1),
      clients: Int32Array.from(requests, (one) => (isClients(one) ? 0 : -1)),
      follows: Uint8Array.from(requests, ({ think }) => Number(think !== undefined)),
      thinkMs: Float64Array.from(requests, ({ think = 0 }) => think),
    },
  };
}
