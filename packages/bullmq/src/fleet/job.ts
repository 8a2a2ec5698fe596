import { LONGEST_TIMER } from '@plimsoll/pool/internal';
import type { JobsOptions } from 'bullmq';
import { type CheckedFleet, type CheckedRun, MOST_PRIORITY } from '../shared/options.js';
import { encodeTask, type JobData } from '../shared/wire.js';

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

/** @throws UncloneableError; FleetError PLIMSOLL_FLEET_TOO_LARGE */
export function jobOf(
  task: unknown,
  { name, timeout, grace, priority, attempts, jobId }: CheckedRun,
  { maxPayload, keep }: CheckedFleet,
  spread: boolean,
): TaskJob {
  const data: JobData = {
    ...encodeTask(task, maxPayload),
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
