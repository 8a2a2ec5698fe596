import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { PROGRAMS } from '#studies/tune/catalogue.js';
import { makeInputs } from '#studies/tune/inputs.js';
import { install, NotInstalled, SOURCE, WITH_SCRIPTS } from '#studies/tune/install.js';
import { fileOf } from '#studies/tune/place.js';

const directory = mkdtempSync(join(tmpdir(), 'plimsoll-programs-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const folder = (name: string): string => {
  const made = join(directory, name);
  mkdirSync(made, { recursive: true });
  return made;
};

describe('the programs', () => {
  test('are pinned, without a place where they are fetched', () => {
    const { dependencies } = JSON.parse(readFileSync(join(SOURCE, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    for (const { name, packages } of PROGRAMS) {
      assert.ok(existsSync(join(SOURCE, `${fileOf(name)}.mjs`)), name);
      for (const one of packages) assert.match(dependencies[one] ?? '', /^\d+\.\d+\.\d+$/, one);
    }
    assert.doesNotMatch(readFileSync(join(SOURCE, 'package-lock.json'), 'utf8'), /"resolved"/);
  });

  test('read inputs that are the same wherever they are generated', () => {
    const [one, other] = [makeInputs('text', folder('inputs-1')), makeInputs('text', folder('inputs-2'))];
    for (const file of ['text-00.txt', 'text-39.txt'])
      assert.deepEqual(
        readFileSync(join(one, 'package-15', file)),
        readFileSync(join(other, 'package-15', file)),
      );
  });
});

describe('installing the programs', () => {
  const source = folder('source');
  writeFileSync(join(source, 'package-lock.json'), '{}');
  /** Stands for npm: fails at one of its commands, with a message of its kind; makes the packages of `ci`. */
  const npm = (failing: string): [string, string] => {
    const file = join(directory, `npm-${failing}.cjs`);
    writeFileSync(
      file,
      `const { mkdirSync } = require('node:fs');
       const [, , command] = process.argv;
       if (command === 'ci') mkdirSync('node_modules/sqlite3', { recursive: true });
       if (command === '${failing}') {
         console.error('npm error code ENOTFOUND\\nnpm error A complete log of this run can be found in: /x');
         process.exitCode = 1;
       }`,
    );
    return [process.execPath, file];
  };

  test('fails with the reason of npm, and no path of this machine', async () => {
    await assert.rejects(install({ source, cache: folder('cache-1'), npm: npm('ci') }), (error) => {
      assert.ok(error instanceof NotInstalled);
      assert.equal(error.message, 'npm ci: code ENOTFOUND');
      return true;
    });
    await assert.rejects(install({ source, cache: folder('cache-1'), npm: ['no-such-npm'] }), /ENOENT/);
  });

  test('a package whose script fails is broken, and the others are there', async () => {
    const { broken } = await install({ source, cache: folder('cache-2'), npm: npm('rebuild') });
    assert.deepEqual([...broken], [['sqlite3', 'npm rebuild sqlite3: code ENOTFOUND']]);
    assert.ok(WITH_SCRIPTS.includes('sqlite3'));
  });

  test('happens once, but again after it failed', async () => {
    const cache = folder('cache-3');
    await assert.rejects(install({ source, cache, npm: npm('ci') }));
    await install({ source, cache, npm: npm('nothing') });
    await install({ source, cache, npm: npm('ci') });
  });
});
