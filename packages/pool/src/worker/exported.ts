import { types } from 'node:util';
import { PoolError } from '../errors.js';
import type { TaskFunction } from '../shared/calls.js';
import { cannotLoad } from './load-error.js';

/** @throws PoolError PLIMSOLL_POOL_LOAD_FAILED if the file exports no function of this name */
export async function functionOf(exported: unknown, filename: string, name: string): Promise<TaskFunction> {
  const member = await pick(exported, name).catch((cause: unknown) => {
    throw cannotLoad(filename, cause);
  });
  if (typeof member === 'function') return member as TaskFunction;
  throw new PoolError(
    'PLIMSOLL_POOL_LOAD_FAILED',
    `No handler function exported from ${filename} as '${name}'${othersOf(exported)}`,
  );
}

/** Awaits a file that exports a promise. A module that exports a function named `then` is no promise. */
export async function awaited(exported: unknown): Promise<{ value: unknown }> {
  const isModule = !types.isPromise(exported) && Object.hasOwn(Object(exported), 'then');
  return { value: isModule ? exported : await exported };
}

async function pick(exported: unknown, name: string): Promise<unknown> {
  if (typeof exported === 'function') return name === 'default' ? exported : memberOf(exported, name);
  const member = await memberOf(exported, name);
  if (typeof member === 'function') return member;
  const { value: whole } = await awaited(memberOf(exported, 'default'));
  return typeof whole === 'function' && name === 'default' ? whole : memberOf(whole, name);
}

/** Ignores errors: the task that needs the export reports them. */
export const hookOf = (exported: unknown, name: string): Promise<unknown> =>
  pick(exported, name).catch(() => undefined);

/** Inherited by every object or function, such as 'constructor' and 'call'. Never task functions. */
const COMMON = new Set(
  [Object.prototype, Function.prototype].flatMap((prototype) => Object.getOwnPropertyNames(prototype)),
);

function memberOf(owner: unknown, name: string): unknown {
  if (owner === undefined || owner === null) return undefined;
  if (COMMON.has(name) && !Object.hasOwn(owner, name)) return undefined;
  return (owner as Record<string, unknown>)[name];
}

const MOST_NAMES = 20;

function othersOf(exported: unknown): string {
  const names = exportedNames(exported)
    .filter((name) => mayBeTask(exported, name))
    .map((name) => `'${name}'`);
  if (names.length === 0) return '';
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  return `, only ${names.slice(0, MOST_NAMES).join(', ')}${more}`;
}

/** Not awaited: a promise may never be settled. */
function mayBeTask(exported: unknown, name: string): boolean {
  try {
    const members = [exported, memberOf(exported, 'default')].map((owner) => memberOf(owner, name));
    return members.some((member) => typeof member === 'function' || types.isPromise(member));
  } catch {
    return false;
  }
}

function exportedNames(exported: unknown): string[] {
  const names = Object.keys(Object(exported) as object);
  const whole = memberOf(exported, 'default');
  if (typeof whole === 'object' && whole !== null) names.push(...Object.keys(whole));
  return [...new Set(names)].filter((name) => name !== 'module.exports');
}

/** The sorted names of callable exports. Throws only if an export is unreadable and none is callable. */
export async function namesOf(exported: unknown, filename: string): Promise<string[]> {
  const names = [...new Set(['default', ...exportedNames(exported)])];
  const results = await Promise.allSettled(names.map((name) => pick(exported, name)));
  const callable = names.filter((_, index) => {
    const result = results[index];
    return result?.status === 'fulfilled' && typeof result.value === 'function';
  });
  const unread = results.find((result) => result.status === 'rejected');
  if (callable.length === 0 && unread !== undefined) throw cannotLoad(filename, unread.reason);
  return callable.sort();
}
