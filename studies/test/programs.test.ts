import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { Guardian } from 'plimsoll/lab';
import { PROGRAMS, type ServerProgram } from '#studies/tune/catalogue.js';
import { makeInputs } from '#studies/tune/inputs.js';
import { install, NotInstalled, SOURCE, WITH_SCRIPTS } from '#studies/tune/install.js';
import type { Runs } from '#studies/predict/programs/measured.js';
import { measureServer } from '#studies/predict/programs/servers.js';
import { ProgramFailed } from '#studies/predict/programs/start.js';

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
      assert.ok(existsSync(join(SOURCE, `${name}.mjs`)), name);
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
       if (command === 'ci') mkdirSync('node_modules/better-sqlite3', { recursive: true });
       if (command === '${failing}') {
         console.error('npm error code ENOTFOUND\\nnpm error A complete log of this run can be found in: /root/x');
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
    assert.deepEqual([...broken], [['better-sqlite3', 'npm rebuild better-sqlite3: code ENOTFOUND']]);
    assert.ok(WITH_SCRIPTS.includes('better-sqlite3'));
  });

  test('happens once, but again after it failed', async () => {
    const cache = folder('cache-3');
    await assert.rejects(install({ source, cache, npm: npm('ci') }));
    await install({ source, cache, npm: npm('nothing') });
    await install({ source, cache, npm: npm('ci') });
  });
});

describe('a program under way', () => {
  const [planted] = PROGRAMS.filter((one): one is ServerProgram => one.name === 'koa-scrypt');
  const started = async (
    server: string,
    where: string,
  ): Promise<{ found: unknown; left: string[]; pids: number[] }> => {
    const programs = folder(where);
    const temporary = folder(`${where}-tmp`);
    const pids = join(programs, 'pids');
    cpSync(join(SOURCE, 'kit.mjs'), join(programs, 'kit.mjs'));
    writeFileSync(
      join(programs, 'koa-scrypt.mjs'),
      `import { appendFileSync } from 'node:fs';\nappendFileSync(${JSON.stringify(pids)}, process.pid + '\\n');\n${server}`,
    );
    const before = process.env.TMPDIR;
    process.env.TMPDIR = temporary;
    const guardian = new Guardian();
    try {
      assert.ok(planted);
      const found = await measureServer(
        { ...planted, packages: [] },
        { sizes: [1, 4], runs: 1, scale: 0.1 },
        {
          directory: programs,
          cache: folder('inputs-3'),
          cycle: { guardian, signal: new AbortController().signal },
        },
      ).catch((error: unknown) => error);
      return {
        found,
        left: readdirSync(temporary),
        pids: readFileSync(pids, 'utf8').trim().split('\n').map(Number),
      };
    } finally {
      await guardian.close();
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    }
  };
  const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`);

  test('is gone when it was measured, with its folders', async () => {
    const { found, left, pids } = await started(
      `import { createServer } from 'node:http';
       import { serve } from './kit.mjs';
       serve(createServer((request, response) => response.end('{}')));`,
      'good',
    );
    assert.ok(!(found instanceof Error), String(found));
    assert.deepEqual(
      (found as Runs).measured.map(({ size }) => size),
      [1, 4],
    );
    assert.deepEqual(left, []);
    assert.equal(pids.length, 3, 'two sizes and the twin');
    assert.deepEqual(pids.filter(isAlive), []);
  });

  test('fails with its own message, and leaves nothing', async () => {
    const { found, left, pids } = await started(`throw new TypeError('no such planet');`, 'bad');
    assert.ok(found instanceof ProgramFailed, String(found));
    assert.match(found.message, /exit code 1: TypeError: no such planet/);
    assert.deepEqual(left, []);
    assert.deepEqual(pids.filter(isAlive), []);
  });

  test('answers with errors: it failed', async () => {
    const { found, left } = await started(
      `import { createServer } from 'node:http';
       import { serve } from './kit.mjs';
       serve(createServer((request, response) => { response.statusCode = 500; response.end(); }));`,
      'errors',
    );
    assert.ok(found instanceof ProgramFailed, String(found));
    assert.deepEqual(left, []);
  });
});
