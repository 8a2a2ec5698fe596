import fs = require('node:fs');

import type { RecordedLine } from './lines.cjs';

// Taken before the app runs: it may put other functions in their place.
const { openSync, writeSync, closeSync } = fs;

/** Places in the memory that the app's thread and its recorder share. */
const FLAG = { ready: 0, done: 1 } as const;

/** Microseconds on the clock of trace events, the same in every process of the machine. */
const now = (): number => Number(process.hrtime.bigint() / 1000n);

/**
 * Whether lines could be appended to a file: synchronously, since asynchronous fs would use the pool that is recorded. The
 * file is not kept open: a program that closes every descriptor would else have us write into whatever gets its number.
 */
function append(file: string, lines: readonly RecordedLine[]): boolean {
  if (lines.length === 0) return true;
  try {
    const descriptor = openSync(file, 'a', 0o600);
    try {
      const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
    } finally {
      closeSync(descriptor);
    }
    // Whoever waits for the end of the recording need not read it.
    if (lines.some(({ type }) => type === 'end' || type === 'problem'))
      closeSync(openSync(`${file}.end`, 'w', 0o600));
    return true;
  } catch {
    // The directory is gone or may not be written to: nobody could be told.
    return false;
  }
}

export = { FLAG, now, append };
