import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** What the files of each folder may import besides their own folder; '' has those on top, `errors.ts` lies under all. */
const ALLOWED: Record<string, readonly string[]> = {
  '': ['fleet', 'local', 'shared', 'tasks', 'worker'],
  fleet: ['shared', 'tasks'],
  local: ['shared', 'tasks'],
  tasks: ['shared'],
  worker: ['shared'],
  shared: [],
};

const source = fileURLToPath(new URL('../src/', import.meta.url));
const folderOf = (file: string): string => /^([^/]+)\//.exec(file)?.[1] ?? '';

test('a folder imports only from those under it', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts'));
  for (const file of files) {
    const text = readFileSync(join(source, file), 'utf8').replaceAll(/\/\*.*?\*\//gs, '');
    for (const [, specifier = ''] of text.matchAll(/\bfrom '(\.[^']+)'/g)) {
      const target = posix.resolve('/', file, '..', specifier).slice(1);
      const folder = folderOf(target);
      const isAllowed =
        target === 'errors.js' || folder === folderOf(file) || ALLOWED[folderOf(file)]?.includes(folder);
      assert.ok(isAllowed, `${file} imports ${specifier}`);
    }
  }
});
