import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** From the top down; a floor imports only from floors under it. `errors.ts` lies under all of them. */
const FLOORS = [
  ['cli'],
  ['api'],
  ['report'],
  ['advise'],
  ['bench', 'load', 'timeline', 'classify', 'trace'],
  ['model'],
  ['lab'],
  ['workloads'],
  ['results'],
  ['host'],
  ['libuv'],
  ['stats'],
  ['collections'],
];
const source = fileURLToPath(new URL('../src/', import.meta.url));
const levelOf = (folder: string): number => FLOORS.findIndex((floor) => floor.includes(folder));

test('every file imports only from its own folder and from the floors under it', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.c?ts$/.test(file),
  );
  let imports = 0;
  for (const file of files) {
    const [folder = ''] = file.split('/');
    if (folder === file) continue;
    assert.notEqual(levelOf(folder), -1, `${folder}/ is on no floor`);
    for (const [, specifier = ''] of readFileSync(join(source, file), 'utf8').matchAll(
      /from '(\.[^']+)'|import\('(\.[^']+)'\)/g,
    )) {
      const [target = ''] = relative(source, resolve(source, file, '..', specifier)).split('/');
      if (target === folder || target === 'errors.js' || specifier === '') continue;
      imports++;
      assert.ok(
        levelOf(target) > levelOf(folder),
        `${file} imports ${specifier}: ${target}/ is not under ${folder}/`,
      );
    }
  }
  assert.ok(imports > 20, 'the imports were read');
});
