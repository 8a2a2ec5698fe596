import { itemAt } from '../collections/item-at.js';
import { type Measures, measure } from '../model/measures.js';
import {
  type Answered,
  measureOperations,
  measureRequests,
  type OperationMeasures,
} from '../model/request-measures.js';
import type { Trace, TracedProcess } from '../results/trace.js';
import { askedBy } from './clients.js';
import { isAnswered } from './steps.js';

/** What a recorded run itself came to, in the terms of a prediction; jobs do not tell the delay of its event loops. For `allWait` see `askedBy`. */
export function measuredIn({ processes }: Pick<Trace, 'processes'>, size: number, allWait = false): Measures {
  const jobs = processes.flatMap((process) => process.jobs);
  const active = processes.filter((process) => process.jobs.length > 0).length;
  const passage = {
    submitMs: Float64Array.from(jobs, ({ submitMs }) => submitMs),
    startMs: Float64Array.from(jobs, ({ startMs }) => startMs),
    endMs: Float64Array.from(jobs, ({ endMs }) => endMs),
    callbackMs: Float64Array.from(jobs, ({ callbackMs }) => callbackMs),
    loopDelaysMs: [],
    cpuMs: 0,
  };
  const answered = processes
    .filter((process) => process.jobs.length > 0)
    .flatMap((process) => answeredOf(process, allWait));
  return {
    ...measure(passage, size * Math.max(1, active)),
    requests: measureRequests(answered, routesOf(processes)),
    operations: measuredOperations(processes),
  };
}

/** Routes of which a request was answered, the most frequent first. */
export function routesOf(processes: Trace['processes']): string[] {
  const counts = new Map<string, number>();
  for (const { requests, jobs } of processes)
    for (const request of jobs.length === 0 ? [] : requests)
      if (isAnswered(request)) counts.set(request.route, (counts.get(request.route) ?? 0) + 1);
  return [...counts]
    .sort(([a, most], [b, other]) => other - most || (a < b ? -1 : 1))
    .map(([route]) => route);
}

function answeredOf({ requests }: TracedProcess, allWait: boolean): Answered[] {
  const asked = askedBy(requests, allWait);
  return requests.flatMap((request, index) =>
    isAnswered(request)
      ? [
          {
            route: request.route,
            startMs: request.startMs,
            endMs: request.endMs as number,
            isFromClients: itemAt(asked, index).group !== null,
          },
        ]
      : [],
  );
}

/** Those that used the pool and ended. */
function measuredOperations(processes: Trace['processes']): OperationMeasures[] {
  const byName = new Map<string, number[]>();
  for (const { jobs, operations } of processes) {
    const used = new Set(jobs.map(({ operation }) => operation));
    for (const [index, { name, startMs, endMs }] of operations.entries()) {
      if (endMs === null || !used.has(index)) continue;
      const same = byName.get(name);
      if (same === undefined) byName.set(name, [endMs - startMs]);
      else same.push(endMs - startMs);
    }
  }
  return measureOperations([...byName]);
}
