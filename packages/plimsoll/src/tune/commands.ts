import { setTimeout as sleep } from 'node:timers/promises';
import { PlimsollError } from '../errors.js';
import { endedChildrenSeconds } from '../host/processes.js';
import { startCommand } from '../lab/command.js';
import type { Supervision } from '../lab/guardian.js';
import type { Random } from '../stats/random.js';

export interface CommandTimes {
  /** From its start to the end of its process. Of a run that was cut off: so long it took at least. */
  readonly wallMs: number;
  /** Of the command and of all that it waited for; `null` where that is not known, and of a run that was cut off. */
  readonly cpuSeconds: number | null;
  readonly isCutOff: boolean;
}

const LONGEST_PADDING = 4096;

/**
 * Run a command that ends, in a fresh process whose pool has a size, with nothing of ours in it. Its output goes nowhere.
 *
 * The length of the environment differs from run to run, as in `startGroup`.
 *
 * @param mostMs a run that takes longer is ended and counts as cut off.
 * @throws {PlimsollError} PLIMSOLL_TARGET_FAILED when it cannot be started or ends with another exit code than 0.
 */
export async function timeCommand(
  command: readonly string[],
  size: number,
  mostMs: number,
  { guardian, signal, random }: Supervision & { readonly random: Random },
): Promise<CommandTimes> {
  signal.throwIfAborted();
  const padding = 'x'.repeat(random.integer(0, LONGEST_PADDING));
  const usedBefore = endedChildrenSeconds();
  const startedMs = performance.now();
  const running = await startCommand(
    command,
    { UV_THREADPOOL_SIZE: String(size), PLIMSOLL_PADDING: padding },
    'last-words',
    guardian,
  );
  const over = new AbortController();
  const timer = sleep(mostMs, null, { signal: AbortSignal.any([signal, over.signal]) }).catch(() => null);
  try {
    const end = await Promise.race([running.ended, timer]);
    signal.throwIfAborted();
    if (end === null) return { wallMs: performance.now() - startedMs, cpuSeconds: null, isCutOff: true };
    if (end.code !== 0)
      throw new PlimsollError(
        'PLIMSOLL_TARGET_FAILED',
        `the command failed with ${size} pool threads (${end.text})`,
      );
    const used = endedChildrenSeconds();
    return {
      wallMs: end.atMs - startedMs,
      cpuSeconds: used === null || usedBefore === null ? null : used - usedBefore,
      isCutOff: false,
    };
  } finally {
    over.abort();
    await running.close();
  }
}
