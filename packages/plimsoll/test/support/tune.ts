import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withGuardian } from '#plimsoll/lab/guardian.js';
import type { MeasuredTune } from '#plimsoll/tune/answer.js';
import type { TuneProgress, TuneRequest } from '#plimsoll/tune/request.js';
import { tuneCommand } from '#plimsoll/tune/tune.js';
import { processesWith } from './cli.js';

export interface Tuned {
  /** What it came to: an outcome, or an error. */
  readonly measured: MeasuredTune | null;
  readonly error: (Error & { readonly code?: string }) | null;
  readonly phases: readonly TuneProgress['phase'][];
  /** Processes and files of it that were left behind. */
  readonly left: readonly (number | string)[];
}

export const autocannon = (...args: string[]): TuneRequest['traffic'] => ({
  from: 'command',
  words: [
    process.execPath,
    join(import.meta.dirname, '../../../../node_modules/autocannon/autocannon.js'),
    ...args,
  ],
});

/**
 * Tune a command under a temporary directory of its own.
 *
 * @param onProgress may abort it.
 */
export async function tuned(
  command: readonly string[],
  request: Partial<TuneRequest> = {},
  onProgress: (progress: TuneProgress, abort: AbortController) => void = () => {},
): Promise<Tuned> {
  const { TMPDIR } = process.env;
  const directory = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
  process.env.TMPDIR = directory;
  const abort = new AbortController();
  const phases: TuneProgress['phase'][] = [];
  const usual: Omit<TuneRequest, 'command'> = {
    ...{ sizes: [2, 4, 16], baseline: 4, objective: 'mean', timeMs: 5_000, traffic: null },
    ...{ seed: 1, readyMs: 20_000, stdout: 'last-words' },
  };
  let measured: MeasuredTune | null = null;
  let error: Tuned['error'] = null;
  try {
    measured = await withGuardian((guardian) =>
      tuneCommand(
        { ...usual, ...request, command },
        {
          guardian,
          signal: abort.signal,
          onProgress: (progress) => {
            if (phases.at(-1) !== progress.phase) phases.push(progress.phase);
            onProgress(progress, abort);
          },
        },
      ),
    );
  } catch (thrown) {
    error = thrown as Tuned['error'];
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
  const left = [...processesWith(directory), ...readdirSync(directory)];
  rmSync(directory, { recursive: true });
  return { measured, error, phases, left };
}
