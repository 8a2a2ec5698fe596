import type { Trace, TracedJob, TracedProcess } from '../../../results/trace.js';
import { formatCount, formatMs, formatNumber } from '../../format.js';
import { familyOf, type Job, type Panel } from './panel.js';

const MOST_PROCESSES = 4;

/** A panel for each of the processes that had most jobs: so many jobs around the one that waited longest for a thread. */
export function tracePanels({ processes }: Trace, mostJobs: number): Panel[] {
  const busy = processes
    .filter(({ jobs }) => jobs.length > 0)
    .toSorted((a, b) => b.jobs.length - a.jobs.length);
  return busy.slice(0, MOST_PROCESSES).map((process, index) => {
    const panel = panelOf(process, mostJobs);
    const left = busy.length - MOST_PROCESSES;
    const isLast = index === MOST_PROCESSES - 1;
    if (!isLast || left <= 0) return panel;
    return {
      ...panel,
      notes: [
        ...panel.notes,
        `${formatNumber(left)} more ${left === 1 ? 'process' : 'processes'} with fewer jobs`,
      ],
    };
  });
}

function panelOf(process: TracedProcess, most: number): Panel {
  const { pid, jobs, operations } = process;
  const size = process.observedThreads ?? process.size;
  const window = windowOf(jobs, most);
  const fromMs = Math.min(...window.map(({ submitMs }) => submitMs));
  const toMs = Math.max(...window.map(({ callbackMs }) => callbackMs));
  const loops = [...new Set(window.map(({ loopThread }) => loopThread))];
  const threads = [...new Set(jobs.flatMap(({ thread }) => thread ?? []))].toSorted((a, b) => a - b);
  const { length } = window;
  return {
    heading: `process ${pid}, ${formatCount(size, 'pool thread')}`,
    requests: 0,
    size,
    loops: loops.length,
    jobs: window.map((job) => ({
      ...shifted(job, fromMs),
      owner: job.operation === null ? '' : (operations[job.operation]?.name ?? ''),
      loop: loops.indexOf(job.loopThread),
      thread: job.thread === null ? null : threads.indexOf(job.thread) + 1,
    })),
    others: [],
    durationMs: Math.max(toMs - fromMs, 0.001),
    notes:
      length === jobs.length
        ? []
        : [
            `${formatNumber(length)} of ${formatNumber(jobs.length)} jobs are drawn, around the one that waited longest; 0 is ${formatMs(fromMs)} after the recording began`,
          ],
  };
}

function shifted(job: TracedJob, fromMs: number): Omit<Job, 'owner' | 'loop' | 'thread'> {
  const { kind, slowIo, inferred, queued, cpuMs } = job;
  return {
    what: kind,
    family: familyOf(kind, inferred),
    submitMs: job.submitMs - fromMs,
    startMs: job.startMs - fromMs,
    endMs: job.endMs - fromMs,
    callbackMs: job.callbackMs - fromMs,
    cpuMs,
    slowIo,
    inferred,
    queued,
  };
}

/** As many jobs before the longest wait as after it; jobs are in the order of submission. */
function windowOf(jobs: readonly TracedJob[], most: number): readonly TracedJob[] {
  if (jobs.length <= most) return jobs;
  let worst = 0;
  for (const [index, job] of jobs.entries()) if (waitOf(job) > waitOf(jobs[worst])) worst = index;
  const first = Math.min(Math.max(0, worst - Math.floor(most / 2)), jobs.length - most);
  return jobs.slice(first, first + most);
}

const waitOf = (job: TracedJob | undefined): number => (job === undefined ? 0 : job.startMs - job.submitMs);
