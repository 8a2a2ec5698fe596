import type { EventCategory } from './lines.cjs';

/** Places in the memory that the app's thread and its recorder share. */
const FLAG = { ready: 0, done: 1 } as const;

/** The trace events that are recorded, each category under the letter that stands for it in a recording. */
const CATEGORIES: Readonly<Record<EventCategory, string>> = {
  w: 'node.threadpoolwork.async',
  r: 'node.threadpoolwork.sync',
  f: 'node.fs.async',
  o: 'node.fs_dir.async',
  d: 'node.dns.native',
};

/** Microseconds on the clock of trace events, the same in every process of the machine. */
const now = (): number => Number(process.hrtime.bigint() / 1000n);

export = { FLAG, CATEGORIES, now };
