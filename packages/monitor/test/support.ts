import { type ExecFileOptions, execFile, execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  mkdtempSync,
  open,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const IS_LINUX = process.platform === 'linux';
/** Jobs of the pool can be held where there are FIFOs. */
export const HAS_FIFOS = process.platform !== 'win32';

/** The path of a program. */
export const fixture = (name: string): string =>
  fileURLToPath(new URL(`../test/fixtures/${name}`, import.meta.url));

const LONGEST_WAIT_MS = 120_000;

/** Waits for something that must happen, for so long that only what never happens fails. */
export async function until(happened: () => boolean): Promise<void> {
  const end = performance.now() + LONGEST_WAIT_MS;
  while (!happened()) {
    if (performance.now() > end) throw new Error(`it did not happen: ${happened}`);
    await sleep(2);
  }
}

/** Jobs that keep their thread until they are released, without any CPU time: each opens a FIFO that nobody writes to. */
export interface Held {
  /** Ends them all, those that have no thread yet as soon as they get one. */
  release(): Promise<void>;
}

export function holdThreads(t: TestContext, jobs: number): Held {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-monitor-'));
  const paths = Array.from({ length: jobs }, (_, index) => join(folder, `fifo-${index}`));
  execFileSync('mkfifo', paths);
  const waiting = new Set(paths);
  for (const path of paths) {
    open(path, 'r', (_, reader) => {
      waiting.delete(path);
      closeSync(reader);
    });
  }
  const release = async (): Promise<void> => {
    await until(() => {
      for (const path of waiting) openForWriting(path);
      return waiting.size === 0;
    });
    rmSync(folder, { recursive: true, force: true });
  };
  t.after(release);
  return { release };
}

const OPENAT = process.arch === 'arm64' ? '56' : '257';

/** What a file of /proc says of each thread of this process; one may end between the list and its file. Linux. */
export const ofThreads = (file: 'comm' | 'syscall'): string[] =>
  readdirSync('/proc/self/task').flatMap((task) => {
    try {
      return [readFileSync(`/proc/self/task/${task}/${file}`, 'latin1')];
    } catch {
      return [];
    }
  });

/** Threads of this process that are in an open of a file, as those are that `holdThreads` holds. Linux. */
export const threadsThatOpen = (): number =>
  ofThreads('syscall').filter((call) => call.startsWith(`${OPENAT} `)).length;

/** Opens the other end, which lets the reader go; there is none while its job has no thread. */
function openForWriting(path: string): void {
  try {
    closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error;
  }
}

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs Node to its end. */
export function runNode(args: readonly string[], options: ExecFileOptions = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const timeout = 2 * LONGEST_WAIT_MS;
    execFile(process.execPath, args, { timeout, ...options, encoding: 'utf8' }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, stdout: String(stdout), stderr: String(stderr) });
    });
  });
}

/** Numbers from 0 to 1 that are the same in every run (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
