/** What a rescue of `@plimsoll/monitor` does in another process, as it writes it into a file without a name. */
import { listNumbers, readLink, readText } from '../host/read.js';
import { type RescueStatus, rescueSchema } from '../results/pool-activity.js';

const STATUS = /\/plimsoll-rescue-[^/]+\/status \(deleted\)$/;

/** The open file of a process that has the status; `null` when there is none. */
export const statusFileOf = (pid: number, root: string): number | null =>
  listNumbers(root, `/proc/${pid}/fd`)?.findLast((file) => isStatus(pid, file, root)) ?? null;

const isStatus = (pid: number, file: number, root: string): boolean =>
  STATUS.test(readLink(root, `/proc/${pid}/fd/${file}`) ?? '');

/** `null` when the file is not there any more, or is being written. */
export function rescueStatus(pid: number, file: number, root: string): RescueStatus | null {
  if (!isStatus(pid, file, root)) return null;
  try {
    const status = JSON.parse(readText(root, `/proc/${pid}/fd/${file}`) ?? '');
    return rescueSchema.safeParse({ last: null, ...status }).data ?? null;
  } catch {
    return null;
  }
}
