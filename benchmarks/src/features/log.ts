// What the host and the workers of any pool tell each other besides the pool: events in a file, and gates that are files. So it
// works alike for every pool, for threads and processes, and also while one side blocks.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

/** The environment variable that names the folder of this probe. */
export const FOLDER = 'PLIMSOLL_PROBE_FOLDER';

export interface LogEvent {
  readonly at: number;
  readonly thread: number;
  readonly what: string;
}

const pathOf = (name: string): string => join(process.env[FOLDER] as string, name);

export const log = (what: string): void =>
  appendFileSync(pathOf('log'), `${JSON.stringify({ at: Date.now(), thread: threadId, what })}\n`);

export function events(): LogEvent[] {
  if (!existsSync(pathOf('log'))) return [];
  const lines = readFileSync(pathOf('log'), 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as LogEvent);
}

export const eventsOf = (what: string): LogEvent[] => events().filter((event) => event.what === what);

export const happened = (what: string): boolean => eventsOf(what).length > 0;

export const openGate = (name: string): void => writeFileSync(pathOf(`gate-${name}`), '');

export const isOpen = (name: string): boolean => existsSync(pathOf(`gate-${name}`));

const word = new Int32Array(new SharedArrayBuffer(4));

/** Blocks the thread. */
export const block = (ms: number): void => void Atomics.wait(word, 0, 0, ms);
