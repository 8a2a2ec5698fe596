/** What each thread of a process does, read from /proc without touching the process. */
import { listNumbers, parseWhole, readLine, readText, statFields } from './read.js';

export interface ThreadActivity {
  readonly tid: number;
  readonly name: string;
  /** A letter of proc_pid_stat(5): R runs or could, S sleeps, D waits for a disk. */
  readonly state: string;
  readonly createdTicks: number;
  /** Time on a core and time waiting for one since the thread was created; `null` where the kernel does not count it. */
  readonly cpuMs: number | null;
  readonly coreWaitMs: number | null;
  /** How often it got a core; `null` where the kernel does not count it. */
  readonly timeslices: number | null;
  /** The current system call; `null` outside of one, and when it may not be read. */
  readonly call: { readonly number: number; readonly args: readonly bigint[] } | null;
  readonly tellsCalls: boolean;
}

export type EarlierThreads = ReadonlyMap<number, ThreadActivity>;

/** @returns `null` when there is no such process, or no /proc. */
export function threadActivities(pid: number, root = '/', before?: EarlierThreads): ThreadActivity[] | null {
  const tids = listNumbers(root, `/proc/${pid}/task`);
  return tids?.flatMap((tid) => activityOf(pid, tid, root, before?.get(tid)) ?? []) ?? null;
}

const NS_PER_MS = 1e6;

/** `null` for a thread that has ended meanwhile. */
function activityOf(pid: number, tid: number, root: string, before?: ThreadActivity): ThreadActivity | null {
  const folder = `/proc/${pid}/task/${tid}`;
  const [cpu = null, waited = null, timeslices = null] = (readLine(root, `${folder}/schedstat`) ?? '')
    .split(' ')
    .map(parseWhole);
  const cpuMs = cpu === null ? null : cpu / NS_PER_MS;
  // Most threads sleep. A thread that has had no core since is still in its call, so two more files need not be read.
  const hasSlept = before?.state === 'S' && before.timeslices === timeslices && before.cpuMs === cpuMs;
  if (hasSlept && timeslices !== null) return before;
  const stat = readText(root, `${folder}/stat`);
  if (stat === null) return null;
  const fields = statFields(stat);
  const call = readLine(root, `${folder}/syscall`);
  return {
    ...{ tid, name: fields[2] ?? '', state: fields[3] ?? '?', createdTicks: parseWhole(fields[22]) ?? 0 },
    ...{ cpuMs, coreWaitMs: waited === null ? null : waited / NS_PER_MS, timeslices },
    ...{ call: parseCall(call), tellsCalls: call !== null },
  };
}

/** A line of /proc/PID/syscall: `202 0x7f… 0x80 …`; `running`, and `-1 …` outside of a system call. */
export function parseCall(line: string | null): ThreadActivity['call'] {
  const [number = '', ...words] = (line ?? '').split(/\s+/);
  if (!/^\d+$/.test(number)) return null;
  const args = words.filter((text) => /^0x[0-9a-f]+$/i.test(text)).slice(0, 6);
  return { number: Number(number), args: args.map(BigInt) };
}
