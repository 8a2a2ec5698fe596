import { readTask } from '../worker/tasks.js';

/** What the kernel says of a thread: nanoseconds on a core and waiting for one, and how often it got one. */
export interface Activity {
  readonly ran: number;
  readonly waited: number;
  readonly slices: number;
}

/** The numbers of read(2), and of futex(2), in which a thread waits that has nothing to do. */
const CALLS = new Map([
  ['x64', { read: '0', futex: '202' }],
  ['arm64', { read: '63', futex: '98' }],
]).get(process.arch);

/** Of these threads; empty where the kernel does not tell. */
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

/** What threads did since an earlier look. */
export interface Compared {
  /** Those that had no core at all and wait in the kernel, in a futex and elsewhere. */
  readonly inFutex: number;
  readonly elsewhere: number;
  /** Whether those that ran had to wait for a core less than they had one. */
  readonly hasCores: boolean;
}

export function compareActivity(before: ReadonlyMap<number, Activity>): Compared {
  let [ran, waited, inFutex, elsewhere] = [0, 0, 0, 0];
  for (const [thread, now] of readActivity([...before.keys()])) {
    const then = before.get(thread) as Activity;
    ran += now.ran - then.ran;
    waited += now.waited - then.waited;
    if (now.slices !== then.slices || now.ran !== then.ran) continue;
    // `running` also while it waits for a core.
    const [call] = callOf(thread);
    if (call === CALLS?.futex) inFutex++;
    else if (call !== undefined && call !== 'running') elsewhere++;
  }
  return { inFutex, elsewhere, hasCores: waited <= ran };
}

/** How many of these threads wait in a read of a file; undefined where the kernel does not tell. */
export function countReaders(threads: readonly number[], file: number): number | undefined {
  const calls = threads.map(callOf);
  if (CALLS === undefined || calls.some(([call]) => call === undefined)) return undefined;
  return calls.filter(([call, first]) => call === CALLS.read && first === `0x${file.toString(16)}`).length;
}

/** The number of the system call that a thread waits in, and its arguments; see proc(5). */
const callOf = (thread: number): string[] => readTask(thread, 'syscall')?.split(' ') ?? [];
