/** What a rescue of `@plimsoll/monitor` does in another process, as it writes it into a file without a name. */
import { listNumbers, readLink, readText } from './read.js';

export interface RescueStatus {
  /** Threads while none is blocked, now, and at the most. */
  readonly base: number;
  readonly size: number;
  readonly max: number;
  /** How often threads were added and given back. */
  readonly grown: number;
  readonly shrunk: number;
  readonly last: {
    readonly type: 'grow' | 'shrink';
    readonly from: number;
    readonly size: number;
    readonly reason: string;
    /** Of `Date.now()`. */
    readonly at: number;
  } | null;
}

const STATUS = /\/plimsoll-rescue-[^/]+\/status \(deleted\)$/;

/** The open file of a process that has the status; `null` when there is none. */
export const statusFileOf = (pid: number, root = '/'): number | null =>
  listNumbers(root, `/proc/${pid}/fd`)?.findLast((file) => isStatus(pid, file, root)) ?? null;

const isStatus = (pid: number, file: number, root: string): boolean =>
  STATUS.test(readLink(root, `/proc/${pid}/fd/${file}`) ?? '');

/** `null` when the file is not there any more, or is being written. */
export function rescueStatus(pid: number, file: number, root = '/'): RescueStatus | null {
  if (!isStatus(pid, file, root)) return null;
  try {
    const { base, size, max, grown, shrunk, last } = JSON.parse(
      readText(root, `/proc/${pid}/fd/${file}`) ?? '',
    );
    if (![base, size, max, grown, shrunk].every(Number.isInteger)) return null;
    const { type, from, size: to, reason, at } = last ?? {};
    return {
      ...{ base, size, max, grown, shrunk },
      last:
        last === undefined ? null : { type, from: Number(from), size: Number(to), reason: `${reason}`, at },
    };
  } catch {
    return null;
  }
}
