import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { catalogue } from '#plimsoll/classify/catalogue/catalogue.js';
import { classify } from '#plimsoll/classify/classify.js';
import { PlimsollError } from '#plimsoll/errors.js';
import { Guardian } from '#plimsoll/lab/guardian.js';
import { explained } from '#plimsoll/report/findings/classify.js';
import { type Classified, classificationSchema, type PoolVerdict } from '#plimsoll/results/classification.js';
import type { Target } from '#plimsoll/workloads/target.js';
import { buildAddon, cannotBuildAddon } from '../support/addon.js';
import { fixture } from '../support/cli.js';

const posix = process.platform === 'win32' ? { skip: 'needs FIFOs' } : {};
const never = new AbortController().signal;
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
/** Where the loader of ES modules reads files asynchronously. */
const asyncLoader = major < 22 || (major === 22 && minor < 18) || (major === 24 && minor < 3);

const MAIN_THREAD = [
  ...['fs.readFileSync', 'fs.statSync', 'dns.lookup.ip', 'net.listen.ip', 'nextTick', 'zlib.gzipSync'],
  ...['createHash', 'createCipheriv', 'getRandomValues', 'pbkdf2Sync', 'randomBytes.sync', 'randomUUID'].map(
    (name) => `crypto.${name}`,
  ),
  ...['crypto.sign.sync', 'crypto.subtle.importKey', 'crypto.subtle.exportKey'],
];
const KERNEL = [
  ...catalogue
    .map(({ name }) => name)
    .filter((name) => /^dns\.re(solve|verse)|\.ip$|^child_process/.test(name)),
  ...['fs.watch', 'net.connect.pipe', 'setTimeout', 'setImmediate', 'WebAssembly.compile', 'Worker'],
  ...['MessagePort', 'Blob.text'],
].filter((name) => !MAIN_THREAD.includes(name));
const BOTH = ['http.get', 'https.get', 'fetch', 'net.connect', 'tls.connect', 'dgram.send'].map(
  (name) => `${name}.name`,
);
const SLOW = [...BOTH, 'dns.lookup.name', 'dns.promises.lookup.name', 'dns.lookupService', 'net.listen.name'];

function expected(name: string): PoolVerdict {
  if (name === 'import') return asyncLoader ? 'pool' : 'main thread';
  if (MAIN_THREAD.includes(name)) return 'main thread';
  if (KERNEL.includes(name)) return 'kernel';
  return BOTH.includes(name) ? 'both' : 'pool';
}

describe('classify', posix, () => {
  let guardian: Guardian;
  before(() => {
    guardian = new Guardian();
  });
  after(() => guardian.close());

  test('every entry of the catalogue has its verdict, and the slow class is found by experiment', async () => {
    const result = await classify(
      { entries: catalogue, targets: [], deadlineMs: 20_000 },
      { guardian, signal: never },
    );
    classificationSchema.parse({ ...result, results: result.results.map(explained) });
    assert.equal(result.results.length, catalogue.length);
    const verdicts = (of: (name: string) => string): Record<string, string> =>
      Object.fromEntries(catalogue.map(({ name }) => [name, of(name)]));
    const byName = new Map(result.results.map((one) => [one.name, one]));
    assert.deepEqual(
      verdicts((name) => byName.get(name)?.verdict ?? 'missing'),
      verdicts(expected),
      result.results.map((one) => `${one.name}: ${explained(one).explanation}`).join('\n'),
    );
    const slow = result.results.filter(({ slowIo }) => slowIo === true).map(({ name }) => name);
    assert.deepEqual(slow.sort(), SLOW.toSorted());
    for (const { name, waitsFor, verdict } of result.results)
      assert.equal(waitsFor.includes('pool'), verdict === 'pool' || verdict === 'both', name);
    assert.deepEqual(byName.get('fetch.name')?.waitsFor, ['pool', 'socket']);
    assert.deepEqual(byName.get('setTimeout')?.waitsFor, ['timer']);
    assert.deepEqual(byName.get('child_process.spawn')?.waitsFor, ['process']);
  });

  const functions = pathToFileURL(fixture('classify/functions.mjs')).href;
  const target = (exportName: string, args: unknown[] = [], url = functions): Target => ({
    url,
    exportName,
    args,
    name: exportName,
  });
  const classifyTargets = async (targets: Target[], deadlineMs: number): Promise<Map<string, Classified>> => {
    const { results } = await classify({ entries: [], targets, deadlineMs }, { guardian, signal: never });
    return new Map(results.map((one) => [one.name, explained(one)]));
  };

  test('planted functions of each kind', async () => {
    const wanted: Record<string, PoolVerdict> = {
      pool: 'pool',
      poolByCallback: 'pool',
      slow: 'pool',
      poolThenTimer: 'both',
      timerThenPool: 'both',
      longTimer: 'kernel',
      kernel: 'kernel',
      mainThread: 'main thread',
      mainThreadLong: 'main thread',
      cachedByPromise: 'pool',
      failsAfterPool: 'failed',
      throws: 'failed',
      throwsLater: 'failed',
      exits: 'failed',
      aborts: 'failed',
      exitsLater: 'failed',
      'group.inner': 'pool',
      default: 'pool',
    };
    const targets = [
      ...Object.keys(wanted).map((name) => target(name)),
      target('poolWithArguments', ['.', 3]),
    ];
    const found = await classifyTargets(targets, 20_000);
    const verdicts = Object.fromEntries([...found].map(([name, { verdict }]) => [name, verdict]));
    assert.deepEqual(verdicts, { ...wanted, poolWithArguments: 'pool' });
    assert.equal(found.get('slow')?.slowIo, true);
    assert.equal(found.get('pool')?.slowIo, false);
    assert.match(found.get('pool')?.explanation ?? '', /PBKDF2REQUEST/);
    assert.match(found.get('failsAfterPool')?.explanation ?? '', /RangeError: after the pool/);
    assert.match(found.get('throwsLater')?.explanation ?? '', /TypeError: from a timer/);
    assert.match(found.get('exits')?.explanation ?? '', /exit code 7/);
    assert.match(found.get('aborts')?.explanation ?? '', /SIGABRT/);
    const busy = found.get('mainThreadLong')?.mainThreadMs ?? 0;
    assert.ok(busy > (found.get('mainThread')?.mainThreadMs ?? 0), `blocked for ${busy} ms`);
  });

  test('what never completes meets its deadline, also when it never gives the event loop back', async () => {
    const found = await classifyTargets(
      ['never', 'neverAfterPool', 'loops'].map((name) => target(name)),
      500,
    );
    for (const [name, { verdict }] of found) assert.equal(verdict, 'timeout', name);
    assert.match(
      found.get('loops')?.explanation ?? '',
      /blocked the event loop and did not return within 500 ms/,
    );
  });

  test('an export that is no function, or does not exist, is bad input', async () => {
    for (const [name, says] of [
      ['notAFunction', /it is number, not a function/],
      ['nowhere', /there is no export "nowhere" \(functions that it exports: .*pool/],
    ] as const)
      await assert.rejects(classifyTargets([target(name)], 1000), (error) => {
        assert.ok(error instanceof PlimsollError);
        assert.equal(error.exitCode, 2);
        assert.match(error.message, says);
        return true;
      });
  });

  test('an N-API add-on', { skip: cannotBuildAddon() }, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'plimsoll-addon-'));
    try {
      const module = join(directory, 'addon.cjs');
      writeFileSync(module, `module.exports = require(${JSON.stringify(buildAddon(directory))});`);
      const url = pathToFileURL(module).href;
      const found = await classifyTargets([target('inPool', [], url), target('onMain', [], url)], 20_000);
      assert.equal(found.get('inPool')?.verdict, 'pool');
      assert.match(found.get('inPool')?.explanation ?? '', /plimsoll-test-addon/);
      assert.equal(found.get('onMain')?.verdict, 'main thread');
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  test('an interruption keeps what was decided', async () => {
    const controller = new AbortController();
    let name = '';
    const result = await classify(
      { entries: catalogue, targets: [], deadlineMs: 5000 },
      {
        guardian,
        signal: controller.signal,
        onProgress: (progress) => {
          name ||= progress.name;
          controller.abort();
        },
      },
    );
    assert.equal(result.interrupted, true);
    assert.ok(result.results.some((one) => one.name === name));
    assert.ok(result.results.length < catalogue.length);
  });
});
