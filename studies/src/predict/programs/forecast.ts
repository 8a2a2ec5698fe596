import { advise } from 'plimsoll';
import { type Advice, type Objective, PlimsollError, type Trace } from 'plimsoll/lab';
import type { Basis, Predicted, PredictedSize } from './result.js';

interface Latency {
  readonly mean: number;
  readonly p99: number;
}

/** The figures of a prediction, or of an end of its band, as far as they are used here. */
export interface Answer {
  readonly latencyMs: Latency;
  readonly makespanMs: number;
  readonly jobsPerSecond: number;
  /** What was asked of the program; `null` when nothing was. */
  readonly requests?: {
    readonly latencyMs: Latency;
    readonly perSecond: number;
    readonly isOverloaded: boolean;
  } | null;
  /** What it called. */
  readonly operations?: readonly {
    readonly name: string;
    readonly count: number;
    readonly latencyMs: Latency;
  }[];
}

export interface AnsweredSize extends Answer {
  readonly size: number;
  readonly low: Answer;
  readonly high: Answer;
}

/** What the recorded run was. */
export interface Recorded {
  readonly kind: 'server' | 'command';
  /** Requests or units of work of the recorded run, by the count of clients or of the script. */
  readonly units: number;
  readonly jobs: number;
}

/** Other counts than this one belong to other operations. */
const SAME_COUNT = 0.02;

/**
 * Which figures speak of the units: requests (a script marks its units as such), else the operations of which there are just as
 * many as units, else jobs.
 */
export function basisOf({ requests, operations = [] }: Answer, { units }: Recorded): Basis {
  if (requests != null) return 'requests';
  return operations.some(({ count }) => isSame(count, units)) ? 'operations' : 'jobs';
}

const isSame = (count: number, units: number): boolean => Math.abs(count / units - 1) <= SAME_COUNT;

/** Of all sizes, by the same figures. */
export const predictedSizes = (answers: readonly AnsweredSize[], recorded: Recorded): PredictedSize[] =>
  answers.map((answer) => {
    const basis = basisOf(answer, recorded);
    const banded = (pick: (one: Answer) => number): Predicted => {
      const ends = [pick(answer.low), pick(answer.high)];
      return { value: pick(answer), low: Math.min(...ends), high: Math.max(...ends) };
    };
    const latency = (one: Answer): Latency => latencyOf(one, basis, recorded);
    return {
      size: answer.size,
      basis,
      mean: banded((one) => latency(one).mean),
      p99: banded((one) => latency(one).p99),
      pace: banded((one) => paceOf(one, recorded)),
      isOverloaded: answer.requests?.isOverloaded ?? false,
    };
  });

function latencyOf(answer: Answer, basis: Basis, { units }: Recorded): Latency {
  const nothing = { mean: Number.NaN, p99: Number.NaN };
  if (basis === 'requests') return answer.requests?.latencyMs ?? nothing;
  if (basis === 'jobs') return answer.latencyMs;
  const own = (answer.operations ?? []).filter(({ count }) => isSame(count, units));
  // The longest of them: those of the same number within it are its parts.
  return own.reduce<Latency>(
    (longest, { latencyMs }) => (latencyMs.mean <= longest.mean ? longest : latencyMs),
    {
      mean: 0,
      p99: 0,
    },
  );
}

function paceOf({ requests, makespanMs, jobsPerSecond }: Answer, { kind, units, jobs }: Recorded): number {
  if (kind === 'command') return makespanMs;
  return requests?.perSecond ?? (jobsPerSecond * units) / jobs;
}

export interface Forecast {
  readonly sizes: readonly PredictedSize[];
  readonly recommended: Advice['recommended'];
}

/** @returns `null` when nothing in the trace used the pool. @throws {PlimsollError} whatever else `advise` does. */
export async function forecast(
  trace: Trace,
  recorded: Omit<Recorded, 'jobs'>,
  sizes: readonly number[],
): Promise<Forecast | null> {
  const objective: Objective = recorded.kind === 'server' ? 'mean' : 'makespan';
  const jobs = trace.processes.reduce((sum, one) => sum + one.jobs.length, 0);
  try {
    const { predictions, recommended } = await advise(trace, { sizes, objective, seed: 1 });
    return { sizes: predictedSizes(predictions, { ...recorded, jobs }), recommended };
  } catch (error) {
    if (error instanceof PlimsollError && error.code === 'PLIMSOLL_NO_POOL_JOBS') return null;
    throw error;
  }
}
