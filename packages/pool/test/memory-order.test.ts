import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const sources = new URL('../src/', import.meta.url);
const page = readFileSync(new URL('../../../docs/internals/memory-order.md', import.meta.url), 'utf8');

/**
 * An access to words that two threads may share. The codec's words are its caller's, `next-message.ts` waits on words of its own,
 * `pool-base.ts` only asks what there is, and `errors.ts` names it.
 */
const ACCESS = /\bAtomics\.|\bwaitAsync\(|\b(?:words|floats|cells)\[/;
const NOT_SHARED = /^shared\/codec\/|^worker\/next-message\.ts$|^pool-base\.ts$|^errors\.ts$/;

test('docs/internals/memory-order.md names every file that accesses shared words', () => {
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts') && !NOT_SHARED.test(file))
    .filter((file) => ACCESS.test(readFileSync(new URL(file, sources), 'utf8')));
  const intro = page.slice(page.indexOf('Shared words are accessed in'), page.indexOf('\n## '));
  const named = [...intro.matchAll(/`([\w/.-]+)`/g)].map(([, name]) => name as string);
  let folder = '';
  const listed: string[] = [];
  for (const name of named) {
    if (name.endsWith('/')) folder = name.replace(/^src\//, '');
    else listed.push(folder + name);
  }
  assert.deepEqual(files.sort(), listed.sort());
});
