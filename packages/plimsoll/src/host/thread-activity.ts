/** What each thread of a process does, as /proc tells: for a look from outside, without touching the process. */
import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { listNumbers, parseWhole, readLine, readText, statFields } from './read.js';

interface SystemCall {
  readonly number: number;
  readonly args: readonly bigint[];
}

export interface ThreadActivity {
  readonly tid: number;
  readonly name: string;
  /** One letter, as proc_pid_stat(5) has it: R runs or could, S sleeps, D waits for a disk. */
  readonly state: string;
  readonly createdTicks: number;
  /** On a core, and waiting for one, in milliseconds since it was created; `null` where the kernel does not count it. */
  readonly cpuMs: number | null;
  readonly coreWaitMs: number | null;
  /** How often it got a core; `null` where the kernel does not count it. */
  readonly timeslices: number | null;
  /** The system call that it is in; `null` when it is in none, and when it may not be read. */
  readonly call: SystemCall | null;
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
function activityOf(
  pid: number,
  tid: number,
  root: string,
  before: ThreadActivity | undefined,
): ThreadActivity | null {
  const folder = `/proc/${pid}/task/${tid}`;
  const [cpu = null, waited = null, timeslices = null] = (readLine(root, `${folder}/schedstat`) ?? '')
    .split(' ')
    .map(parseWhole);
  const cpuMs = cpu === null ? null : cpu / NS_PER_MS;
  // Most threads sleep. One that has had no core since is in the call where it was, and a third of the reading is enough.
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
export function parseCall(line: string | null): SystemCall | null {
  const [number, ...rest] = (line ?? '').split(/\s+/);
  if (number === undefined || !/^\d+$/.test(number)) return null;
  const args = rest.filter((text) => /^0x[0-9a-f]+$/i.test(text)).slice(0, 6);
  return { number: Number(number), args: args.map(BigInt) };
}

const LONGEST_PATH = 256;

export function readMemory(pid: number, address: bigint, length: number, root = '/'): Buffer | null {
  let file: number | null = null;
  try {
    file = openSync(join(root, `/proc/${pid}/mem`), 'r');
    const bytes = Buffer.alloc(length);
    const read = readSync(file, bytes, 0, length, address);
    return bytes.subarray(0, read);
  } catch {
    return null;
  } finally {
    if (file !== null) closeSync(file);
  }
}

export function readMemoryText(pid: number, address: bigint, root = '/'): string | null {
  const bytes = readMemory(pid, address, LONGEST_PATH, root) ?? readMemory(pid, address, 32, root);
  if (bytes === null) return null;
  const end = bytes.indexOf(0);
  return bytes.subarray(0, end === -1 ? bytes.length : end).toString('utf8');
}
