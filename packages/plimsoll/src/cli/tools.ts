import type { WriteStream } from 'node:tty';
import { Guardian } from '../lab/guardian.js';
import { interruptSignal } from './interrupt.js';
import { ProgressLine } from './progress-line.js';

/** What a command that measures works with. */
export interface Tools {
  /** Where reports for people go: with JSON on standard output, to standard error. */
  readonly people: WriteStream;
  readonly progress: ProgressLine;
  readonly guardian: Guardian;
  /** Aborts at the first Ctrl-C. */
  readonly signal: AbortSignal;
}

/**
 * Run a command with its tools, and put them away whatever happens.
 *
 * @param files the values of its options that write documents; `-` is standard output.
 */
export async function withTools(
  files: readonly (string | undefined)[],
  quiet: boolean,
  work: (tools: Tools) => Promise<number>,
): Promise<number> {
  const people = files.includes('-') ? process.stderr : process.stdout;
  const progress = new ProgressLine(process.stderr, quiet);
  const interrupt = interruptSignal();
  const guardian = new Guardian();
  try {
    return await work({ people, progress, guardian, signal: interrupt.signal });
  } finally {
    progress.clear();
    await guardian.close();
    interrupt.dispose();
  }
}
