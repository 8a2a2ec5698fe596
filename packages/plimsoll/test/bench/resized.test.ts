import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import {
  type MeasuringProcess,
  type MeasuringRequest,
  openMeasuringProcess,
} from '#plimsoll/bench/measuring-process.js';
import { withGuardian } from '#plimsoll/lab/guardian.js';
import { openLocalResolver } from '#plimsoll/lab/resolver/resolver.js';
import { createRandom } from '#plimsoll/stats/random.js';
import { resolveParameters } from '#plimsoll/workloads/parameters.js';

const linux = process.platform === 'linux' ? {} : { skip: 'pools are resized on Linux' };
const namespaces =
  spawnSync('unshare', ['--mount', '--net', 'true']).status === 0
    ? linux
    : { skip: 'needs the right to make namespaces' };

const open = (
  request: Pick<MeasuringRequest, 'spec' | 'directory'> & Partial<MeasuringRequest>,
  guardian: Parameters<Parameters<typeof withGuardian>[0]>[0],
): Promise<MeasuringProcess> =>
  openMeasuringProcess(
    { size: 8, resizes: true, names: [], prefix: [], deadlineMs: 60_000, ...request },
    { guardian, signal: new AbortController().signal },
    createRandom(1),
  );

/** Writes down what it sees in each call. */
const sees = (log: string): string =>
  `import { appendFileSync } from 'node:fs';
   export default ({ size }) => appendFileSync(${JSON.stringify(log)}, size + ' ' + process.env.UV_THREADPOOL_SIZE + '\\n');`;

describe('one process of all sizes', linux, () => {
  test('has the size of each round, counted, and tells it to a module and in its environment', async () => {
    await withGuardian(async (guardian) => {
      const directory = guardian.temporaryDirectory();
      const file = join(directory, 'work.mjs');
      const log = join(directory, 'seen');
      writeFileSync(file, sees(log));
      const spec = { kind: 'module', url: pathToFileURL(file).href, operations: null, scale: 1 } as const;
      const live = await open({ spec, directory }, guardian);
      assert.equal(live.readiness.fixed, null);
      for (const size of [8, 1, 5, 8, 2]) {
        writeFileSync(log, '');
        const { observedThreads } = await live.round(1, size);
        assert.equal(observedThreads, size);
        // Before the first resize the variable is the one that it was started with.
        assert.deepEqual(new Set(readFileSync(log, 'utf8').trim().split('\n')), new Set([`${size} ${size}`]));
      }
      await live.close();
    });
  });

  test(
    'lookups keep to the limit of the size, not to that of the threads that there are',
    namespaces,
    async () => {
      await withGuardian(async (guardian) => {
        const resolver = await openLocalResolver(40, guardian);
        try {
          const { names, prefix } = resolver;
          const directory = guardian.temporaryDirectory();
          const parameters = resolveParameters('dns', { operations: 16 });
          const spec = { kind: 'built-in', name: 'dns', parameters } as const;
          const live = await open({ spec, directory, names, prefix }, guardian);
          assert.equal(live.readiness.fixed, null);
          // One lookup at a time of two threads, four of eight: each takes 40 ms, less the millisecond that a timer may be early.
          assert.ok((await live.round(1, 2)).workMs >= 16 * 39);
          assert.ok((await live.round(1, 8)).workMs >= 4 * 39);
          assert.ok((await live.round(1, 1)).workMs >= 16 * 39);
          await live.close();
        } finally {
          await resolver.close();
        }
      });
    },
  );

  test('a process that nobody is to resize says nothing of it', async () => {
    await withGuardian(async (guardian) => {
      const parameters = resolveParameters('crypto', { operations: 2, scale: 0.01 });
      const spec = { kind: 'built-in', name: 'crypto', parameters } as const;
      const live = await open({ spec, directory: guardian.temporaryDirectory(), resizes: false }, guardian);
      assert.equal(live.readiness.fixed, null);
      assert.equal((await live.round(1, 8)).observedThreads, 8);
      await live.close();
    });
  });
});
