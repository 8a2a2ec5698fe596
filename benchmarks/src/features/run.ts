import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FOLDER } from './log.js';
import type { Outcome } from './outcome.js';

/** A probe that takes longer than this has not come to an end. */
const DEADLINE_MS = 120_000;
const OUTPUT_KEPT = 2000;

const CHILD = fileURLToPath(new URL('./child.js', import.meta.url));

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Results are published: they name no folder of this machine. */
const scrub = ({ answer, seen, missing }: Outcome): Outcome => {
  const without = (texts: readonly string[]): string[] => texts.map((text) => text.replaceAll(ROOT, ''));
  return { answer, seen: without(seen), missing: without(missing) };
};

/**
 * Runs one probe in a process of its own.
 *
 * @throws when the probe fails, which is no answer: it is to be mended.
 */
export async function runProbe(pool: string, feature: string, signal?: AbortSignal): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-probe-'));
  try {
    return await outcomeOf(pool, feature, folder, signal);
  } catch (error) {
    throw new Error(`${pool}, ${feature}: ${(error as Error).message}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function outcomeOf(pool: string, feature: string, folder: string, signal?: AbortSignal): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = fork(CHILD, [pool, feature], {
      env: { ...process.env, [FOLDER]: folder },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-OUTPUT_KEPT);
      });
    let answer: { outcome?: Outcome; error?: string } | null = null;
    child.on('message', (message) => {
      answer = message as typeof answer;
      kill();
    });
    const kill = (): void => void child.kill('SIGKILL');
    const deadline = setTimeout(kill, DEADLINE_MS);
    signal?.addEventListener('abort', kill);
    child.on('error', reject);
    child.on('exit', (code) => {
      clearTimeout(deadline);
      signal?.removeEventListener('abort', kill);
      if (answer?.outcome !== undefined) resolve(scrub(answer.outcome));
      else reject(new Error(answer?.error ?? `no answer (${code ?? 'killed'})\n${output}`));
    });
  });
}
