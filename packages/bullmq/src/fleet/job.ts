import { LONGEST_TIMER } from '@plimsoll/pool/internal';
import type { JobsOptions } from 'bullmq';
import { type CheckedFleet, type CheckedRun, MOST_PRIORITY } from '../shared/options.js';
import { encodeTask, FORMAT, type JobData, MOST_INLINE, toText } from '../shared/wire.js';

/** A task, its bytes beside it when they are large. */
export interface SubmittedJob extends TaskJob {
  readonly bytes: Uint8Array | undefined;
}

/** A task as BullMQ takes it. */
export interface TaskJob {
  readonly name: string;
  readonly data: JobData;
  readonly opts: JobsOptions;
}

/** The same, as a job of a flow. */
export interface FleetJob extends TaskJob {
  readonly queueName: string;
  readonly prefix: string;
}

/** Milliseconds that an outcome is kept beyond its job, for hosts and workers whose clocks differ. */
const LONGER = 60_000;

/** A whole task in one job, for any client to add. @throws UncloneableError; FleetError PLIMSOLL_FLEET_TOO_LARGE */
export function wholeJob(task: unknown, checked: CheckedRun, options: CheckedFleet): TaskJob {
  const bytes = encodeTask(task, options.maxPayload);
  return jobWith({ task: toText(bytes) }, checked, options, false);
}

/**
 * Of a job that others may add, too (`jobId`), all is in the job: whose key would it be?
 *
 * @param spread the task is a list of arguments
 * @throws UncloneableError; FleetError PLIMSOLL_FLEET_TOO_LARGE
 */
export function submittedJob(
  task: unknown,
  checked: CheckedRun,
  options: CheckedFleet,
  spread: boolean,
): SubmittedJob {
  const bytes = encodeTask(task, options.maxPayload);
  const isBeside = bytes.length > MOST_INLINE && checked.jobId === undefined;
  const part = isBeside ? { beside: bytes.length } : { task: toText(bytes) };
  return { ...jobWith(part, checked, options, spread), bytes: isBeside ? bytes : undefined };
}

function jobWith(
  part: Pick<JobData, 'task' | 'beside'>,
  { name, timeout, grace, priority, attempts, jobId }: CheckedRun,
  { keep }: CheckedFleet,
  spread: boolean,
): TaskJob {
  const data: JobData = {
    format: FORMAT,
    ...part,
    ...(spread ? { spread } : {}),
    ...(timeout === undefined || timeout > LONGEST_TIMER ? {} : { timeout }),
    ...(grace === 0 ? {} : { grace: Math.min(grace, LONGEST_TIMER) }),
    keep: keep.age * 1000 + LONGER,
  };
  const opts = {
    ...(jobId === undefined ? {} : { jobId }),
    priority: bullPriorityOf(priority),
    attempts,
    removeOnComplete: keep,
    removeOnFail: keep,
  };
  return { name, data, opts };
}

/** BullMQ runs lower numbers first, and jobs without one before all others, so every task has one. */
const bullPriorityOf = (priority: number): number => MOST_PRIORITY + 1 - priority;
