import type { PoolVerdict } from '../../results/classification.js';
import type { LocalServers } from '../servers.js';

/** What an entry may use. All of it exists before the operation starts, so that only the operation is observed. */
export interface EntryContext {
  /** The path of a file of a few bytes that nothing else uses. */
  file(): string;
  /** The path of an empty directory that nothing else uses. */
  folder(): string;
  /** A path where nothing is. */
  path(): string;
  /** Repeat something that is no part of the operation, until the returned function is called. */
  meanwhile(work: () => void): () => void;
  readonly servers: LocalServers;
}

export interface Entry {
  /** Dotted; a user may name it whole or by its first parts. */
  readonly name: string;
  readonly call: string;
  /** Starts the operation; what it returns settles when the operation has completed. */
  run(context: EntryContext): unknown;
  available?(): boolean;
  /** Why a verdict is so; said only when the experiment came to that verdict. */
  readonly why?: Partial<Record<PoolVerdict, string>>;
  readonly alternative?: string;
}

type Line = Entry['run'] | (Partial<Omit<Entry, 'call'>> & Pick<Entry, 'run'>);

/** Entries of one module. An entry has the name of its call, up to the bracket, unless its line gives another one. */
export const entries = (
  module: string,
  why: NonNullable<Entry['why']>,
  table: Record<string, Line>,
): Entry[] =>
  Object.entries(table).map(([call, line]) => {
    const { name = call.replace(/\(.*/, ''), ...more } = typeof line === 'function' ? { run: line } : line;
    return { name: `${module}${name}`, call: `${module}${call}`, why, ...more };
  });

export const callback = <T = unknown>(
  start: (done: (error?: unknown, value?: T) => void) => void,
): Promise<T | undefined> =>
  new Promise((resolve, reject) =>
    start((error, value) => (error === undefined || error === null ? resolve(value) : reject(error))),
  );
