import { AsyncResource } from 'node:async_hooks';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EntryContext } from '../catalogue/entry.js';
import type { LocalServers } from '../servers.js';

/** More than any entry takes in the two calls that a process makes. */
const SUPPLY = 4;
const MEANWHILE_MS = 5;

/** Make everything that an entry may ask for, before anything is observed. */
export function entryContext(directory: string, servers: LocalServers): EntryContext {
  const supply = (make: (path: string) => void, name: string): (() => string) => {
    const paths = Array.from({ length: SUPPLY }, (_, index) => join(directory, `${name}-${index}`));
    for (const path of paths) make(path);
    return () => paths.pop() as string;
  };
  const outside = new AsyncResource('Meanwhile');
  return {
    meanwhile(work) {
      const timer = outside.runInAsyncScope(() => setInterval(work, MEANWHILE_MS));
      return () => clearInterval(timer);
    },
    file: supply((path) => writeFileSync(path, 'plimsoll'), 'file'),
    folder: supply((path) => mkdirSync(path), 'folder'),
    path: supply(() => {}, 'path'),
    servers,
  };
}
