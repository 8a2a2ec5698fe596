import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** Families, writers and histograms of metrics, which the bundles take in from the monitor. */
const METRICS = '../../monitor/dist/metrics';

/** What the files of each folder may import besides their own folder; '' has those on top, `errors.ts` lies under all. */
const ALLOWED: Record<string, readonly string[]> = {
  '': ['host', 'observe', 'piscina', 'shared', METRICS],
  observe: ['host', 'shared', METRICS],
  piscina: ['host', 'shared'],
  host: ['shared'],
  worker: ['shared'],
  shared: [METRICS],
  // Runs all of them without threads.
  testing: ['', 'host', 'worker', 'shared'],
};
/** Its entry alone imports it, so nobody else loads it. */
const TESTING = 'testing';
/** The code of the worker as a text, made when the package is bundled: data to the host, not a module of the worker. */
const WORKER_AS_TEXT = 'worker/source';
const IMPORTS =
  /\bfrom\s+'(\.[^']+)'|\bimport\(\s*'(\.[^']+)'|\brequire\(\s*'(\.[^']+)'|^\s*import\s+'(\.[^']+)'/gm;

const source = fileURLToPath(new URL('../src/', import.meta.url));
const nameOf = (path: string): string => path.replaceAll('\\', '/').replace(/\.[cm]?[jt]s$/, '');
const folderOf = (name: string): string =>
  name.startsWith('../') ? dirname(name) : name.includes('/') ? (name.split('/')[0] as string) : '';

/** The modules that a source imports, types included; what stands in comments is an example. */
function importsIn(text: string): string[] {
  const code = text.replace(/\/\*.*?\*\//gs, '').replace(/^\s*\/\/.*$/gm, '');
  return [...code.matchAll(IMPORTS)].map((found) => found.slice(1).find(Boolean) as string);
}

function graphOf(): Map<string, string[]> {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' });
  const graph = new Map<string, string[]>();
  for (const file of files.filter((name) => /\.[cm]?ts$/.test(name) && !name.endsWith('.d.ts'))) {
    const targets = importsIn(readFileSync(join(source, file), 'utf8')).map((specifier) =>
      nameOf(relative(source, resolve(source, file, '..', specifier))),
    );
    graph.set(nameOf(file), targets);
  }
  return graph;
}

/** A path of imports that comes back to where it began. */
function circleIn(graph: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const done = new Set<string>();
  const visit = (name: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(name)) return [...path.slice(path.indexOf(name)), name];
    if (done.has(name)) return undefined;
    for (const target of graph.get(name) ?? []) {
      const circle = visit(target, [...path, name]);
      if (circle !== undefined) return circle;
    }
    done.add(name);
    return undefined;
  };
  for (const name of graph.keys()) {
    const circle = visit(name, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

test('each folder imports only from the floors under it', () => {
  let crossings = 0;
  for (const [name, targets] of graphOf()) {
    const folder = folderOf(name);
    assert.ok(folder in ALLOWED, `${folder}/ is on no floor`);
    for (const target of targets) {
      assert.notEqual(target, TESTING, `${name} imports what is for tests`);
      if (folderOf(target) === folder || target === 'errors' || target === WORKER_AS_TEXT) continue;
      if (name === TESTING && folderOf(target) === TESTING) continue;
      crossings++;
      assert.ok(ALLOWED[folder]?.includes(folderOf(target)), `${name} imports ${target}`);
    }
  }
  assert.ok(crossings > 50, `only ${crossings} imports between folders were read`);
});

test('no circle of imports, not even of types', () => {
  assert.equal(circleIn(graphOf())?.join(' -> '), undefined);
});

test('every spelling of an import is read, and a circle is found', () => {
  const text = [
    "import type { A } from './a.js';",
    "export * from './b.js';",
    "import c = require('./c.cjs');",
    "const d = await import('./d.js');",
    "import './e.js';",
    "// import './f.js';",
  ].join('\n');
  assert.deepEqual(importsIn(text), ['./a.js', './b.js', './c.cjs', './d.js', './e.js']);
  const graph = new Map([
    ['a', ['b']],
    ['b', ['c']],
    ['c', ['b']],
  ]);
  assert.deepEqual(circleIn(graph), ['b', 'c', 'b']);
});
