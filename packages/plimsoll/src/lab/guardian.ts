import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PlimsollError } from '../errors.js';
import { startTime } from '../host/processes.js';
import type { GuardianOrder } from './guardian-process.js';

/**
 * Leaves nothing behind: a second process knows every child and temporary directory of this one, sleeps until this one is gone,
 * even by SIGKILL, then kills and removes them. A watched process must lead its process group (`detached: true`), which is killed.
 */
export class Guardian {
  readonly #process: ChildProcess;
  readonly #directories = new Set<string>();

  constructor() {
    this.#process = spawn(
      process.execPath,
      [fileURLToPath(new URL('./guardian-process.js', import.meta.url))],
      // In a separate group, which the terminal's Ctrl-C does not reach.
      { detached: true, stdio: ['pipe', 'ignore', 'ignore'], env: { ...process.env, NODE_OPTIONS: '' } },
    );
    this.#process.on('error', () => {});
    this.#process.stdin?.on('error', () => {});
    if (this.#process.pid === undefined)
      throw new PlimsollError(
        'PLIMSOLL_NO_PROCESSES',
        'cannot start the clean-up process: a limit on processes or memory is reached (pids.max, ulimit -u); raise this limit',
      );
    this.#process.unref();
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  watch(pid: number): void {
    this.#order({ do: 'watch', pid, startTime: startTime(pid) });
  }

  forget(pid: number): void {
    this.#order({ do: 'forget', pid });
  }

  /** A temporary directory, removed by `remove`, `close` or the guardian, which on Linux ends every process that mentions it. */
  temporaryDirectory(): string {
    const parent = tmpdir();
    const directory = join(parent, `plimsoll-${randomBytes(9).toString('base64url')}`);
    // Before the directory exists, so that no death of ours leaves it.
    this.#order({ do: 'keep-clean', directory });
    try {
      mkdirSync(directory, { mode: 0o700 });
      this.#directories.add(directory);
      return directory;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new PlimsollError(
        'PLIMSOLL_NO_DIRECTORY',
        `cannot create a temporary directory in ${parent} (${code}); set TMPDIR to a writable directory`,
        { cause: error },
      );
    }
  }

  remove(directory: string): void {
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    this.#directories.delete(directory);
  }

  async close(): Promise<void> {
    for (const directory of this.#directories) this.remove(directory);
    const { exitCode, signalCode, stdin } = this.#process;
    if (exitCode !== null || signalCode !== null) return;
    this.#process.ref();
    stdin?.end();
    await once(this.#process, 'exit');
  }

  #order(order: GuardianOrder): void {
    this.#process.stdin?.write(`${JSON.stringify(order)}\n`);
  }
}

export interface Supervision<Progress = never> {
  readonly guardian: Guardian;
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export async function withGuardian<Result>(work: (guardian: Guardian) => Promise<Result>): Promise<Result> {
  const guardian = new Guardian();
  try {
    return await work(guardian);
  } finally {
    await guardian.close();
  }
}
