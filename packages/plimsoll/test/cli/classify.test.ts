import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { classificationSchema } from '#plimsoll/results/classification.js';
import {
  everythingIn,
  fixture,
  plimsoll,
  processesWith,
  type Refusals,
  testRefusals,
  until,
} from '../support/cli.js';

const posix = process.platform === 'win32' ? { skip: 'needs FIFOs' } : {};
const linux = process.platform === 'linux' ? {} : { skip: 'looks for processes in /proc' };
const functions = fixture('classify/functions.mjs');

describe('plimsoll classify', posix, () => {
  test('names, groups of names and functions; JSON on stdout, lists on stderr', async () => {
    const names = ['DNS.lookup', 'setTimeout', `${functions}#mainThread`];
    const run = await plimsoll(['classify', ...names, '--json', '-']);
    assert.equal(run.code, 0, run.stderr);
    const { results } = classificationSchema.parse(JSON.parse(run.stdout));
    assert.deepEqual(
      results.map(({ name, verdict }) => [name.replace(functions, 'functions.mjs'), verdict]),
      [
        ['dns.lookup.name', 'pool'],
        ['dns.lookup.ip', 'main thread'],
        ['setTimeout', 'kernel'],
        ['functions.mjs#mainThread', 'main thread'],
      ],
    );
    assert.match(run.stderr, /Use the thread pool \(1\)\n {2}dns +lookup\.name ½/);
    assert.deepEqual(run.left, []);
  });

  test('one name: why, and how to do without', async () => {
    const run = await plimsoll(['classify', 'dns.lookup.name']);
    assert.equal(run.code, 0, run.stderr);
    const text = run.stdout.replaceAll(/\s+/g, ' ');
    assert.match(text, /continued when one was released\. getaddrinfo\(3\) blocks/);
    assert.match(text, /Alternative: dns\.resolve4/);
  });

  test('a function of a module of Node, with arguments and a callback', async () => {
    const run = await plimsoll(['classify', 'node:crypto#randomBytes', '--args', '[16]', '--json', '-']);
    assert.equal(run.code, 0, run.stderr);
    assert.equal(classificationSchema.parse(JSON.parse(run.stdout)).results[0]?.verdict, 'pool');
  });

  const bad: Refusals = {
    'an unknown name': [['fs.status'], 2, /unknown API "fs.status".*fs, dns, crypto/],
    'a part of a name': [['lookup'], 2, /did you mean dns\.lookup\.name, dns\.lookup\.ip/],
    'an empty name': [[''], 2, /unknown API ""/],
    'a module that does not exist': [['./nowhere.mjs#x'], 2, /no module at ".\/nowhere.mjs"/],
    'a package that does not exist': [
      ['no-such-package#x'],
      2,
      /cannot load a file or package "no-such-package"/,
    ],
    'an export that does not exist': [[`${functions}#nowhere`], 2, /no export "nowhere"/],
    'a module with a syntax error': [[fixture('bad/syntax-error.mjs')], 2, /cannot be loaded: SyntaxError/],
    'arguments that are no array': [[`${functions}#pool`, '--args', '{'], 2, /--args: must be a JSON array/],
    'a deadline of 0': [['setTimeout', '--deadline', '0'], 2, /--deadline.*not "0"/],
    'a function that fails': [[`${functions}#throws`], 4, /TypeError: at once/],
    'a function that exits': [[`${functions}#exits`], 4, /exit code 7/],
    'a function that never completes': [
      [`${functions}#never`, '--deadline', '0.3'],
      4,
      /not complete within 300 ms/,
    ],
  };
  testRefusals(bad, ['classify', '--quiet']);
});

describe('classifying leaves nothing behind', linux, () => {
  test('after Ctrl-C: what was decided is printed, exit code 130', async () => {
    let directory = '';
    const run = await plimsoll(['classify', '--json', '-'], {
      meanwhile: (child, temporary) => {
        directory = temporary;
        child.stderr?.once('data', () => child.kill('SIGINT'));
      },
    });
    assert.equal(run.code, 130, run.stderr);
    assert.equal(classificationSchema.parse(JSON.parse(run.stdout)).interrupted, true);
    assert.deepEqual(run.left, []);
    assert.deepEqual(processesWith(directory), []);
  });

  test('after SIGKILL, with every pool thread blocked: no process and no FIFO', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
    const run = await plimsoll(['classify', `${functions}#never`, '--deadline', '60'], {
      env: { TMPDIR: directory },
      meanwhile: (child) =>
        void until(() => everythingIn(directory).some((name) => name.includes('fifo-')))
          .then(() => until(() => processesWith(directory).length >= 3))
          .then(() => child.kill('SIGKILL')),
    });
    assert.equal(run.code, null);
    await until(() => processesWith(directory).length === 0, 60_000, 'every process is gone');
    await until(() => readdirSync(directory).length === 0, 60_000, 'the FIFOs are gone');
    rmSync(directory, { recursive: true });
  });
});
