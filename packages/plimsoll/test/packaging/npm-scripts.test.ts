import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

test('every npm script that runs a file has it', () => {
  const files = Object.values(scripts).flatMap((command) => command.match(/(?<=^node )\S+/) ?? []);
  assert.ok(files.length > 20);
  assert.deepEqual(
    files.filter((file) => !existsSync(join(root, file))),
    [],
  );
});

test('the scripts of the benchmark suite that the README names are there', () => {
  const kinds = ['file', 'crypto', 'zlib', 'dns'];
  const expected = kinds.flatMap((kind) =>
    ['', ':default', ':double', ':optimal'].map((size) => `benchmark:${kind}${size}`),
  );
  assert.deepEqual(
    Object.keys(scripts).filter((name) => name.startsWith('benchmark:')),
    expected,
  );
});
