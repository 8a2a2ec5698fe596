import { badRange, badType } from '../errors.js';

export interface Storage {
  getStore(): unknown;
  run<Result>(store: unknown, callback: () => Result): Result;
}

/** AsyncLocalStorages by the names under which their stores travel. */
export type Storages = Readonly<Record<string, Storage>>;

const KEY = Symbol.for('plimsoll.pool.stores');
const registry = globalThis as { [KEY]?: Map<string, Storage> };

/** On the global object, because a worker file may load another copy of this package than the worker. */
export const storageOf = (name: string): Storage | undefined => registry[KEY]?.get(name);

/**
 * In a worker file: gives these AsyncLocalStorages, during each task, the stores that the storages of the same names had where
 * the task was submitted; see the option `context`. Has no effect on the host.
 *
 * @throws TypeError or RangeError with code PLIMSOLL_POOL_BAD_OPTION for anything but storages, and for a name that is taken
 * @example
 * import { AsyncLocalStorage } from 'node:async_hooks';
 * import { receiveContext } from '@plimsoll/pool/worker';
 *
 * const user = new AsyncLocalStorage();
 * receiveContext({ user });
 * export default () => user.getStore();
 */
export function receiveContext(storages: Storages): void {
  checkStorages('storages', storages);
  registry[KEY] ??= new Map();
  const registered = registry[KEY];
  for (const [name, storage] of Object.entries(storages)) {
    const store = registered.get(name);
    if (store !== undefined && store !== storage) {
      throw badRange(`storages.${name}`, name, 'a name under which no other storage is registered');
    }
    registered.set(name, storage);
  }
}

/** @throws TypeError for anything but an object of storages */
export function checkStorages(name: string, storages: unknown): asserts storages is Storages {
  if (typeof storages !== 'object' || storages === null || Array.isArray(storages)) {
    throw badType(name, storages, 'an object of AsyncLocalStorages');
  }
  for (const [key, storage] of Object.entries(storages)) {
    const { getStore, run } = Object(storage) as Partial<Storage>;
    if (typeof getStore !== 'function' || typeof run !== 'function') {
      throw badType(name, storage, `an object of AsyncLocalStorages, which '${key}' is to be, too`);
    }
  }
}
