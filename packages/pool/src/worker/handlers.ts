import { pathToFileURL } from 'node:url';
import { PoolError } from '../errors.js';
import type { Channel } from './channel.js';

export type TaskFunction = (task: unknown) => unknown;

/**
 * The functions that tasks call, by the number that the host gave to a pair of file and name. A file is loaded at
 * its first task (the pool's own file before that, while the worker starts).
 */
export class Handlers {
  private readonly known: (TaskFunction | undefined)[] = [];
  private readonly channel: Channel;

  constructor(channel: Channel) {
    this.channel = channel;
  }

  /** The function, when it has been loaded. */
  get(id: number): TaskFunction | undefined {
    return this.known[id];
  }

  /** Loads the function. Rejects with PLIMSOLL_POOL_LOAD_FAILED and the true reason as `cause`. */
  async load(id: number): Promise<TaskFunction> {
    const [filename, name] = this.channel.handler(id);
    const found = this.known[id] ?? (await find(filename, name));
    this.known[id] = found;
    return found;
  }
}

async function find(filename: string, name: string): Promise<TaskFunction> {
  const exported = await load(filename).catch((cause: unknown) => {
    throw new PoolError('PLIMSOLL_POOL_LOAD_FAILED', `Cannot load ${filename}: ${messageOf(cause)}`, {
      cause,
    });
  });
  const found = await pick(exported, name);
  if (typeof found !== 'function') {
    const names = namesOf(exported);
    throw new PoolError(
      'PLIMSOLL_POOL_LOAD_FAILED',
      `No handler function exported from ${filename} as '${name}'${names.length > 0 ? `, only ${names.join(', ')}` : ''}`,
    );
  }
  return found as TaskFunction;
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

async function load(filename: string): Promise<unknown> {
  // CommonJS files need no part of the ESM loader, which takes milliseconds to start.
  if (filename.endsWith('.cjs')) {
    // Not imported above: few worker files need it, and it takes a new thread half a millisecond to load.
    return process.getBuiltinModule('node:module').createRequire(filename)(filename) as unknown;
  }
  return import(pathToFileURL(filename).href);
}

/** The function of that name, from named exports, from an object exported as a whole, or the export itself. */
async function pick(exported: unknown, name: string): Promise<unknown> {
  if (typeof exported === 'function') return name === 'default' ? exported : (exported as never)[name];
  const own = await (exported as Record<string, unknown>)[name];
  if (typeof own === 'function') return own;
  const whole = (await (exported as { default?: unknown }).default) as Record<string, unknown> | undefined;
  if (typeof whole === 'function') return name === 'default' ? whole : await whole[name];
  return typeof whole === 'object' && whole !== null ? await whole[name] : undefined;
}

function namesOf(exported: unknown): string[] {
  const module = exported as { default?: unknown };
  const names = Object.keys(Object(module) as object);
  if (typeof module?.default === 'object' && module.default !== null)
    names.push(...Object.keys(module.default));
  return [...new Set(names)].filter((name) => name !== 'module.exports').map((name) => `'${name}'`);
}
