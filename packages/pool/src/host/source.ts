import { badType } from '../errors.js';

/** A source of items, whatever kind of iterable it comes from. */
export interface Source {
  next(): IteratorResult<unknown> | Promise<IteratorResult<unknown>>;
  return?(): unknown;
}

/** @throws TypeError for what is not iterable */
export function sourceOf(name: string, given: unknown): Source {
  const methods = Object(given) as Partial<AsyncIterable<unknown> & Iterable<unknown>>;
  if (typeof methods[Symbol.asyncIterator] === 'function') return methods[Symbol.asyncIterator]?.() as Source;
  if (typeof methods[Symbol.iterator] === 'function') return methods[Symbol.iterator]?.() as Source;
  throw badType(name, given, 'an iterable or an async iterable');
}

/** Tells a source that nobody wants more of it. What goes wrong in that is nobody's any more. */
export function letGo(source: Source): void {
  try {
    Promise.resolve(source.return?.()).catch(() => {});
  } catch {
    // As above.
  }
}
