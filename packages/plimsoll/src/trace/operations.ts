import type { JobCall, PoolJob } from '../libuv/job.js';
import type { Cause, TracedJob, TracedOperation } from '../results/trace.js';
import type { CalledOperation, ThreadCalls } from './calls.js';

type Called = Pick<TracedJob, 'parent' | 'cause' | 'operation'>;

/** What the calls of a process were, and of each job which one created it and what released it; `null` where no hook told. */
export interface Operations {
  readonly operations: readonly TracedOperation[];
  readonly jobs: readonly (Called | null)[];
}

/** The number of a request in the recording of its thread, as an index among the requests; `null` when it is not there. */
export type RequestIndex = (thread: number, request: number) => number | null;

const NO_REQUEST: RequestIndex = () => null;

/**
 * Operations and causes from what hooks told.
 *
 * What a job was submitted in released it: the callback of another job, with its microtasks, is its parent. For a timer or an
 * immediate the parent is the job in whose callback that was made; for a socket, and where there is no such job, the last
 * before it that had returned to the same operation, or to the same request. The first job of a request has none: the request
 * released it.
 *
 * A job outside of all calls that are known is an operation by itself, and is named after what it is.
 *
 * @param jobs in the order of submission.
 */
export function operationsOf(
  jobs: readonly PoolJob[],
  calls: readonly ThreadCalls[],
  clock: (us: number) => number,
  requestIndex: RequestIndex = NO_REQUEST,
): Operations {
  const found = gather(jobs, calls);
  found.sort((a, b) => a.begun - b.begun);
  const indexOf = new Map<number, number>();
  for (const [index, { jobs: own }] of found.entries()) for (const job of own) indexOf.set(job, index);
  const parent = parentsOf(jobs);
  return {
    operations: found.map(({ name, thread, request, begun, ended }) => ({
      name,
      request: request === 0 ? null : requestIndex(thread, request),
      loopThread: thread,
      startMs: clock(begun),
      endMs: ended === null ? null : clock(Math.max(begun, ended)),
    })),
    jobs: jobs.map(({ call }, index) =>
      call === undefined
        ? null
        : { ...(parent[index] as Pick<Called, 'parent' | 'cause'>), operation: indexOf.get(index) ?? null },
    ),
  };
}

interface Gathered {
  readonly name: string;
  readonly thread: number;
  readonly request: number;
  readonly begun: number;
  readonly ended: number | null;
  /** Indices of its jobs. */
  readonly jobs: readonly number[];
}

/** Calls that may wait for something else than the pool, and so count without a job of theirs. */
const WAITS = new Set(['fetch', 'stream.pipeline', 'stream.promises.pipeline']);

/** Calls that gave the pool jobs, or wait for others, and jobs that belong to no call. */
function gather(jobs: readonly PoolJob[], calls: readonly ThreadCalls[]): Gathered[] {
  const byThread = new Map<number, Map<number, number[]>>();
  const alone: Gathered[] = [];
  for (const [index, job] of jobs.entries()) {
    const { call, loop } = job;
    if (call === undefined) continue;
    if (call.operation === 0) {
      const { submitted, returned } = job;
      const { request } = call;
      alone.push({
        name: nameOf(job, call),
        thread: loop,
        request,
        begun: submitted,
        ended: returned,
        jobs: [index],
      });
      continue;
    }
    const own = byThread.get(loop) ?? new Map<number, number[]>();
    byThread.set(loop, own);
    const ofOperation = own.get(call.operation);
    if (ofOperation === undefined) own.set(call.operation, [index]);
    else ofOperation.push(index);
  }
  return [...calls.flatMap((own) => ofThread(own, byThread.get(own.thread), jobs)), ...alone];
}

function ofThread(
  { thread, operations, jobs: called }: ThreadCalls,
  owned: ReadonlyMap<number, readonly number[]> = new Map(),
  jobs: readonly PoolJob[],
): Gathered[] {
  const unfinished = new Set(called.flatMap((job) => (job.returned === null ? [job.operation] : [])));
  return [...operations.values()].flatMap((operation): Gathered[] => {
    const own = owned.get(operation.number) ?? [];
    const { name, request, begun } = operation;
    if (own.length === 0 && !(WAITS.has(name) && operation.ended !== null)) return [];
    const ended = endOf(operation, own, jobs, unfinished.has(operation.number));
    return [{ name, thread, request, begun, ended, jobs: own }];
  });
}

/** A call whose end is not told ends with its last job. */
function endOf(
  { ended }: CalledOperation,
  own: readonly number[],
  jobs: readonly PoolJob[],
  isUnfinished: boolean,
): number | null {
  if (ended !== null || isUnfinished) return ended;
  return own.reduce((last, index) => Math.max(last, jobs[index]?.returned ?? 0), 0);
}

/** Types of resources that only functions of SubtleCrypto create outside of other calls. */
const SUBTLE: Readonly<Record<string, string>> = {
  CIPHERREQUEST: 'encrypt',
  DERIVEBITSREQUEST: 'deriveBits',
  HASHREQUEST: 'digest',
  KEYGENREQUEST: 'generateKey',
  KEYPAIRGENREQUEST: 'generateKey',
  PBKDF2REQUEST: 'deriveBits',
  SIGNREQUEST: 'sign',
};

function nameOf({ name, kind }: PoolJob, { type }: JobCall): string {
  if (kind !== 'work') return `${kind}.${name}`;
  if (name === 'crypto') return type in SUBTLE ? `crypto.subtle.${SUBTLE[type]}` : name;
  return name === 'zlib' || name.includes('.') ? name : type;
}

const RELEASED: Readonly<Record<JobCall['cause'], Cause>> = {
  callback: 'callback',
  timer: 'timer',
  immediate: 'immediate',
  socket: 'socket',
  other: 'other',
};

function parentsOf(jobs: readonly PoolJob[]): (Pick<Called, 'parent' | 'cause'> | null)[] {
  const byNumber = new Map<number, Map<number, number>>();
  for (const [index, { call, loop }] of jobs.entries()) {
    if (call === undefined) continue;
    const own = byNumber.get(loop) ?? new Map<number, number>();
    byNumber.set(loop, own);
    // Of several jobs of one call the first is the one that the call submitted.
    if (!own.has(call.number)) own.set(call.number, index);
  }
  const last = lastReturned(jobs);
  return jobs.map((job, index) => {
    const { call, loop, submitted } = job;
    if (call === undefined) return null;
    const direct = call.after === 0 ? undefined : byNumber.get(loop)?.get(call.after);
    const hasReturned = direct !== undefined && (jobs[direct]?.returned ?? 0) <= submitted && direct < index;
    if (hasReturned) return { parent: direct, cause: RELEASED[call.cause] };
    const before = last[index] ?? null;
    if (before !== null) return { parent: before, cause: RELEASED[call.cause] };
    const isWaiting = call.cause === 'timer' || call.cause === 'immediate';
    if (call.request !== 0 && !isWaiting) return { parent: null, cause: 'request' };
    return { parent: null, cause: call.cause === 'callback' ? 'other' : RELEASED[call.cause] };
  });
}

/** Of each job, the last before its submission that had returned to its operation or, if there is none, to its request. */
function lastReturned(jobs: readonly PoolJob[]): (number | null)[] {
  const steps = jobs.flatMap(({ call, submitted, returned }, index) =>
    call === undefined
      ? []
      : [
          { at: returned, index, isReturn: true },
          { at: submitted, index, isReturn: false },
        ],
  );
  steps.sort((a, b) => a.at - b.at || Number(b.isReturn) - Number(a.isReturn));
  const lastOf = new Map<string, number>();
  const found: (number | null)[] = new Array<null>(jobs.length).fill(null);
  for (const { index, isReturn } of steps) {
    const { call, loop } = jobs[index] as PoolJob & { call: JobCall };
    const keys = [
      ...(call.operation === 0 ? [] : [`${loop} o ${call.operation}`]),
      ...(call.request === 0 ? [] : [`${loop} r ${call.request}`]),
    ];
    if (isReturn) for (const key of keys) lastOf.set(key, index);
    else
      found[index] =
        keys.map((key) => lastOf.get(key)).find((other) => other !== undefined && other < index) ?? null;
  }
  return found;
}
