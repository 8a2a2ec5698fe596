import { readFileSync } from 'node:fs';

/** What the kernel says of a thread: nanoseconds on a core and waiting for one, and how often it got one. */
export interface Activity {
  readonly ran: number;
  readonly waited: number;
  readonly slices: number;
}

/** The number of futex(2), in which a thread waits that has nothing to do. */
const FUTEX = new Map([
  ['x64', '202'],
  ['arm64', '98'],
]).get(process.arch);

const read = (thread: number, name: string): string =>
  readFileSync(`/proc/self/task/${thread}/${name}`, 'latin1');

/** Of these threads; empty where the kernel does not tell. */
export function readActivity(threads: readonly number[]): ReadonlyMap<number, Activity> {
  const found = new Map<number, Activity>();
  if (FUTEX === undefined) return found;
  for (const thread of threads) {
    try {
      const [ran = 0, waited = 0, slices = 0] = read(thread, 'schedstat').split(' ').map(Number);
      found.set(thread, { ran, waited, slices });
    } catch {
      // It has ended.
    }
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
    const call = callOf(thread);
    if (call === FUTEX) inFutex++;
    else if (call !== undefined && call !== 'running') elsewhere++;
  }
  return { inFutex, elsewhere, hasCores: waited <= ran };
}

/** The number of the system call that a thread waits in; `running` also while it waits for a core. */
function callOf(thread: number): string | undefined {
  try {
    return read(thread, 'syscall').split(/\s/, 1)[0];
  } catch {
    return undefined;
  }
}
