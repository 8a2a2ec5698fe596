import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { installedVersions } from '#benchmarks/common/versions.js';

test('the hash of a package changes with its code, wherever that is', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-versions-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const write = (file: string, text: string): void => writeFileSync(join(folder, file), text);
  const version = (): string | undefined =>
    installedVersions(['some'], () => pathToFileURL(join(folder, 'index.js')).href, ['some']).some;
  write('package.json', '{ "name": "some", "version": "1.2.3" }');
  write('index.js', "export { value } from './shared.cjs';");
  write('shared.cjs', 'exports.value = 1;');
  const before = version();
  assert.match(before ?? '', /^1\.2\.3 \(code [0-9a-f]{8}\)$/);
  assert.equal(version(), before);
  write('shared.cjs', 'exports.value = 2;');
  assert.notEqual(version(), before);
});
