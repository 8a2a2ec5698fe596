import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { countPoolThreads, diffPoolThreads, listThreads, namesPoolThreads } from '@plimsoll/lab';

export interface ThreadCount {
  readonly pid: number;
  readonly count: number;
  /** Counted by name. Otherwise by difference, and threads that the program started itself are among them. */
  readonly certain: boolean;
}

/**
 * The pool threads of those processes of a user's command that have used their pool.
 *
 * @param directory where threads-preload.cts left its notes.
 */
export function countThreads(pids: readonly number[], directory: string): ThreadCount[] {
  return pids.flatMap((pid) => {
    const observed = observe(pid, noteOf(pid, directory));
    return observed === null || observed.count === 0 ? [] : [observed];
  });
}

function observe(pid: number, note: Note | null): ThreadCount | null {
  const named = countPoolThreads(pid, note?.libuv);
  if (named !== null && (named > 0 || note === null || namesPoolThreads(note.libuv)))
    return { pid, count: named, certain: true };
  if (note === null) return null;
  const before = note.before.map((tid) => ({ tid, name: '' }));
  return { pid, count: diffPoolThreads(before, listThreads(pid) ?? []).length, certain: false };
}

interface Note {
  readonly before: readonly number[];
  readonly libuv: string;
}

function noteOf(pid: number, directory: string): Note | null {
  try {
    return JSON.parse(readFileSync(join(directory, `${pid}.json`), 'utf8')) as Note;
  } catch {
    return null;
  }
}
