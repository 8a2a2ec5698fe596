import { readTask } from '../worker/tasks.js';

/** The kernel's account of a thread: nanoseconds on a core, nanoseconds waiting for one, time slices. */
export interface Activity {
  readonly ran: number;
  readonly waited: number;
  readonly slices: number;
}

/** System call numbers of read(2), and of futex(2), in which idle threads wait. */
const CALLS = new Map([
  ['x64', { read: '0', futex: '202' }],
  ['arm64', { read: '63', futex: '98' }],
]).get(process.arch);

/** Maps threads to their activity; empty where the kernel does not provide it. */
export function readActivity(threads: readonly number[]): ReadonlyMap<number, Activity> {
  const found = new Map<number, Activity>();
  for (const thread of CALLS === undefined ? [] : threads) {
    const text = readTask(thread, 'schedstat');
    if (text === undefined) continue;
    const [ran = 0, waited = 0, slices = 0] = text.split(' ').map(Number);
    found.set(thread, { ran, waited, slices });
  }
  return found;
}

/** The activity of threads since an earlier look. */
export interface ActivityChange {
  /** Threads that ran on no core and are in a futex, or in another system call. */
  readonly inFutex: number;
  readonly inOtherCalls: number;
  /** Whether the threads had a core for at least half of the time that they wanted one. */
  readonly hasCores: boolean;
}

/** @param elapsed nanoseconds since the earlier look */
export function compareActivity(before: ReadonlyMap<number, Activity>, elapsed: number): ActivityChange {
  let [ran, waited, inFutex, inOtherCalls] = [0, 0, 0, 0];
  for (const [thread, now] of readActivity([...before.keys()])) {
    const then = before.get(thread) as Activity;
    ran += now.ran - then.ran;
    waited += now.waited - then.waited;
    if (now.slices !== then.slices || now.ran !== then.ran) continue;
    // The call is `running` while a thread runs or waits for a core. The kernel counts a wait when it ends.
    const [call] = callOf(thread);
    if (call === 'running') waited += elapsed;
    else if (call === CALLS?.futex) inFutex++;
    else if (call !== undefined) inOtherCalls++;
  }
  return { inFutex, inOtherCalls, hasCores: waited <= ran };
}

/** Counts the threads blocked reading this file; undefined where the kernel does not provide it. */
export function countReaders(threads: readonly number[], file: number): number | undefined {
  const calls = threads.map(callOf);
  if (CALLS === undefined || calls.some(([call]) => call === undefined)) return undefined;
  return calls.filter(([call, first]) => call === CALLS.read && first === `0x${file.toString(16)}`).length;
}

/** The number of a thread's system call and its arguments; see proc(5). */
const callOf = (thread: number): string[] => readTask(thread, 'syscall')?.split(' ') ?? [];
