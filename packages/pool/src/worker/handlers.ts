import { types } from 'node:util';
import { PoolError } from '../errors.js';
import { CARRIED, CONTINUED, FED, OBSERVED, SPREAD, STREAMED, type TaskFunction } from '../shared/calls.js';
import type { FedValue } from '../shared/feeds.js';
import type { Table } from '../shared/table.js';
import { carriedBy } from './carried.js';
import type { Channel } from './channel.js';
import { unfed } from './feed.js';
import { type Lifecycle, SetupFailure } from './lifecycle.js';
import { cannotLoad } from './load-error.js';
import { loadModule } from './load-module.js';
import { ObservedCalls } from './observed.js';
import { placed, Streams } from './streams.js';

/** No task needs the function yet. */
export const NO_SLOT = -1;

/**
 * The functions that tasks call, by the number that the host gave to a pair of file and name. A file is loaded at
 * its first task (the pool's own file before that, while the worker starts).
 */
export class Handlers {
  readonly #known: (TaskFunction | undefined)[] = [];
  /** Functions that are bound to the slot of each task. */
  readonly #bound: (TaskFunction | undefined)[] = [];
  #calls: ObservedCalls | undefined;
  #streams: Streams | undefined;
  readonly #channel: Channel;
  readonly #table: Table;
  readonly #lifecycle: Lifecycle | undefined;

  constructor(channel: Channel, table: Table, lifecycle: Lifecycle | undefined) {
    this.#channel = channel;
    this.#table = table;
    this.#lifecycle = lifecycle;
  }

  /** The function, when it has been loaded and needs no slot. */
  get(id: number): TaskFunction | undefined {
    return this.#known[id];
  }

  /** Loads the function for a task. Rejects with PLIMSOLL_POOL_LOAD_FAILED and the true reason as `cause`. */
  async load(id: number, slot: number): Promise<TaskFunction> {
    const [, filename, name, call] = this.#channel.handler(id);
    if ((call & CONTINUED) !== 0) return this.#keeping().step(slot);
    const found =
      this.#known[id] ??
      this.#bound[id] ??
      this.#carried(filename, call, calledAs(call, await this.#find(filename, name, slot)));
    if ((call & (OBSERVED | STREAMED)) === 0) {
      this.#known[id] = found;
      return found;
    }
    this.#bound[id] = found;
    if ((call & STREAMED) !== 0) return this.#keeping().opener(found, slot);
    return this.#observing().bind(found, slot);
  }

  /** Does it keep iterables for streams? */
  get keepsAny(): boolean {
    return this.#streams !== undefined && this.#streams.size > 0;
  }

  #observing(): ObservedCalls {
    this.#calls ??= new ObservedCalls(this.#table, this.#channel);
    return this.#calls;
  }

  #keeping(): Streams {
    this.#streams ??= new Streams(this.#observing());
    return this.#streams;
  }

  /** @throws SetupFailure itself when no task needs the file yet */
  async #find(filename: string, name: string, slot: number): Promise<TaskFunction> {
    const { value: exported } = await awaited((await loadModule(filename)).exports);
    try {
      await this.#lifecycle?.enter(filename, (hook) => hookOf(exported, hook));
    } catch (error) {
      throw error instanceof SetupFailure && slot !== NO_SLOT ? error.forTask(name) : error;
    }
    return functionOf(exported, filename, name);
  }

  #carried(filename: string, call: number, found: TaskFunction): TaskFunction {
    if ((call & CARRIED) === 0) return found;
    return carriedBy(this.#channel, filename, (call & STREAMED) === 0 ? found : placed(found));
  }
}

/** The function as the loop calls it. */
function calledAs(call: number, found: TaskFunction): TaskFunction {
  if ((call & FED) === 0) return (call & SPREAD) === 0 ? found : (items) => found(...(items as unknown[]));
  return (given) => found(...unfed(given as FedValue));
}

async function functionOf(exported: unknown, filename: string, name: string): Promise<TaskFunction> {
  const found = await pick(exported, name).catch((cause: unknown) => {
    throw cannotLoad(filename, cause);
  });
  if (typeof found === 'function') return found as TaskFunction;
  throw new PoolError(
    'PLIMSOLL_POOL_LOAD_FAILED',
    `No handler function exported from ${filename} as '${name}'${othersOf(exported)}`,
  );
}

/** A file may export a promise of what it exports. A function of its own that is called `then` is an export like others. */
async function awaited(exported: unknown): Promise<{ value: unknown }> {
  const isModule = !types.isPromise(exported) && Object.hasOwn(Object(exported), 'then');
  return { value: isModule ? exported : await exported };
}

/** The function of that name, from named exports, from an object exported as a whole, or the export itself. */
async function pick(exported: unknown, name: string): Promise<unknown> {
  if (typeof exported === 'function') return name === 'default' ? exported : memberOf(exported, name);
  const own = await memberOf(exported, name);
  if (typeof own === 'function') return own;
  const { value: whole } = await awaited(memberOf(exported, 'default'));
  return typeof whole === 'function' && name === 'default' ? whole : memberOf(whole, name);
}

/** An export that cannot be read is for the task to tell that needs it. */
const hookOf = (exported: unknown, name: string): Promise<unknown> =>
  pick(exported, name).catch(() => undefined);

/** What every object or function has is no task: 'constructor', 'call'. */
const COMMON = new Set(
  [Object.prototype, Function.prototype].flatMap((prototype) => Object.getOwnPropertyNames(prototype)),
);

/** A member of an export, inherited ones of a class included, but none that it has from the language. */
function memberOf(owner: unknown, name: string): unknown {
  if (owner === undefined || owner === null) return undefined;
  if (COMMON.has(name) && !Object.hasOwn(owner, name)) return undefined;
  return (owner as Record<string, unknown>)[name];
}

const MOST_NAMES = 20;

function othersOf(exported: unknown): string {
  const names = Object.keys(Object(exported) as object);
  const whole = memberOf(exported, 'default');
  if (typeof whole === 'object' && whole !== null) names.push(...Object.keys(whole));
  const others = [...new Set(names)].filter((name) => name !== 'module.exports').map((name) => `'${name}'`);
  if (others.length === 0) return '';
  const more = others.length > MOST_NAMES ? ` and ${others.length - MOST_NAMES} more` : '';
  return `, only ${others.slice(0, MOST_NAMES).join(', ')}${more}`;
}
