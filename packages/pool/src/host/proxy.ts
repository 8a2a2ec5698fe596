import type { Transferable } from 'node:worker_threads';
import { badType } from '../errors.js';
import { FED, SPREAD } from '../shared/calls.js';
import { isMovable, unwrap } from '../shared/move.js';
import type { Core } from './core.js';
import { fedParcel, isFeed, type Parcel } from './feed.js';
import type { RunOptions } from './options.js';
import { type Checked, check, handlerOf, isPlain, ownOf, submit, submitFed } from './submit.js';

/** Options of a proxy, for each of its calls. */
export type ProxyOptions = Omit<RunOptions, 'name' | 'transferList'>;

type Call = (...items: unknown[]) => Promise<unknown>;

/**
 * Names that others ask any object for: whoever awaits it, `JSON.stringify`, test runners, loggers. Nobody would handle what
 * such a call rejects with.
 */
const PROBES = new Set([
  'then',
  'toJSON',
  'constructor',
  'asymmetricMatch',
  'nodeType',
  '$$typeof',
  'inspect',
]);

/**
 * An object whose every member is a function that runs the exported function of that name in a worker.
 * @throws TypeError or RangeError for bad options
 */
export function proxyOf(core: () => Core, options: ProxyOptions): object {
  const own: RunOptions = ownOf(options);
  refuse('name', own.name, 'left out: a proxy calls a function by the name of its member');
  refuse('transferList', own.transferList, 'left out: mark with move() what an argument transfers');
  const checked = check(core(), own);
  return callsByName((name) => callOf(core, { ...checked, name }));
}

/** An object whose members are functions, each made when it is first asked for. */
export function callsByName(callOf: (name: string) => Call): object {
  const known = new Map<string, Call>();
  return new Proxy(Object.freeze(Object.create(null)), {
    get(_target, name) {
      if (typeof name !== 'string' || PROBES.has(name)) return undefined;
      const call = known.get(name) ?? callOf(name);
      known.set(name, call);
      return call;
    },
  });
}

function refuse(name: string, value: unknown, right: string): void {
  if (value !== undefined) throw badType(`options.${name}`, value, right);
}

function callOf(core: () => Core, checked: Checked): Call {
  return (...items) => {
    try {
      const handler = handlerOf(core(), checked, SPREAD);
      if (items.some(isFeed)) return submitFed(core(), fedParcel(items, [], items), checked, SPREAD | FED);
      if (isPlain(checked) && !items.some(isMovable)) return core().run(items, handler, undefined);
      return submit(core(), parcelOf(items), handler, checked);
    } catch (error) {
      return Promise.reject(error);
    }
  };
}

function parcelOf(items: readonly unknown[]): Parcel {
  const transfer: Transferable[] = [];
  const value = items.map((item) => {
    if (!isMovable(item)) return item;
    const moved = unwrap(item);
    transfer.push(...moved.transfer);
    return moved.value;
  });
  return { value, transfer, original: items };
}
