import type { Trace } from '../results/trace.js';
import { type Measures, measure } from './measures.js';

/** What a recorded run itself came to, in the terms of a prediction; how late its event loops were no job tells. */
export function measuredIn({ processes }: Pick<Trace, 'processes'>, size: number): Measures {
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
  return measure(passage, size * Math.max(1, active));
}
