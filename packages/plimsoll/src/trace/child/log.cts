import fs = require('node:fs');

import type { RecordedLine } from './lines.cjs';

// Taken before the app runs, which may replace them.
const { openSync, writeSync, closeSync } = fs;

/** Places in the memory that the app's thread and its recorder share. */
const FLAG = { ready: 0, done: 1 } as const;

/** Microseconds, with a fraction, on the clock of trace events, the same in every process of the machine. */
const now = (): number => Number(process.hrtime.bigint()) / 1000;

/**
 * Append lines to a file, synchronously: asynchronous fs would use the recorded pool. The file does not stay open: after
 * a program that closes every descriptor, its number may be another file's.
 *
 * @returns whether the file could be written.
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
    // Tells record() that the recording has ended.
    if (lines.some(({ type }) => type === 'end' || type === 'problem'))
      closeSync(openSync(`${file}.end`, 'w', 0o600));
    return true;
  } catch {
    // The directory is gone or may not be written to.
    return false;
  }
}

export = { FLAG, now, append };
