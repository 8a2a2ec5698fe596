import { promisify } from 'node:util';
import type { PoolVerdict } from '../../results/classification.js';
import type { LocalServers } from '../servers.js';

/** What an entry may use. All of it exists before the operation starts, so that only the operation is observed. */
export interface EntryContext {
  /** The path of a small file that nothing else uses, and a descriptor of such a file. */
  file(): string;
  opened(): number;
  /** The path of an empty directory that nothing else uses. */
  folder(): string;
  /** A path that does not exist. */
  path(): string;
  /** Repeat work that is no part of the operation, until the returned function is called. */
  meanwhile(work: () => void): () => void;
  readonly servers: LocalServers;
}

export interface Entry {
  /** Dotted; a user may name it whole or by its first parts. */
  readonly name: string;
  readonly call: string;
  /** Starts the operation; what it returns settles when the operation has completed. */
  run(context: EntryContext): unknown;
  /** Whether this version of Node has the function. */
  readonly available?: boolean;
  /** Why a verdict is so; printed only when the experiment came to this verdict. */
  readonly why?: Why;
  readonly alternative?: string;
}

export type Why = Partial<Record<PoolVerdict, string>>;
type Line<Run> = Run | ({ readonly run: Run } & Partial<Omit<Entry, 'call' | 'run'>>);

/** Entries of one module. An entry has the name of its call, up to the bracket, unless its line sets another name. */
export const calls = (prefix: string, why: Why, table: Record<string, Line<Entry['run']>>): Entry[] =>
  Object.entries(table).map(([call, line]) => {
    const { name = call.replace(/\(.*/, ''), ...more } = typeof line === 'function' ? { run: line } : line;
    return { name: `${prefix}${name}`, call: `${prefix}${call}`, why, ...more };
  });

type Callable = (...args: unknown[]) => unknown;

/** Functions of a module that take a callback: a line returns their other arguments. */
export const callbacks = (
  prefix: string,
  module: object,
  why: Why,
  table: Record<string, Line<(context: EntryContext) => readonly unknown[]>>,
): Entry[] =>
  Object.entries(table).flatMap(([call, line]) => {
    const { run: argsOf, ...more } = typeof line === 'function' ? { run: line } : line;
    const path = call.replace(/\(.*/, '').split('.');
    const found = path.reduce<unknown>((owner, key) => (owner as Record<string, unknown>)[key], module);
    const run = (context: EntryContext): unknown =>
      (promisify(found as Callable) as Callable)(...argsOf(context));
    const whole = call.replace(/\)$/, ', callback)');
    return calls(prefix, why, { [whole]: { available: typeof found === 'function', ...more, run } });
  });
