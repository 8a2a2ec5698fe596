import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
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

/** Says what it sees by how long it takes: so many milliseconds. */
const SEES = (what: string): string =>
  `export default ({ size }) => new Promise((resolve) => setTimeout(resolve, 20 * (${what})));`;

describe('one process of all sizes', linux, () => {
  test('has the size of each round, counted, and tells it to a module and in its environment', async () => {
    await withGuardian(async (guardian) => {
      const directory = guardian.temporaryDirectory();
      const file = join(directory, 'work.mjs');
      writeFileSync(file, SEES('size === Number(process.env.UV_THREADPOOL_SIZE) ? size : 100'));
      const spec = { kind: 'module', url: pathToFileURL(file).href, operations: null, scale: 1 } as const;
      const live = await open({ spec, directory }, guardian);
      assert.equal(live.readiness.fixed, null);
      for (const size of [8, 1, 5, 8, 2]) {
        const { observedThreads, workMs } = await live.round(1, size);
        assert.equal(observedThreads, size);
        // Before the first resize the variable is the one that it was started with.
        assert.ok(workMs >= 20 * size - 1 && workMs < 2000, `${workMs} ms at ${size}`);
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
          // One lookup at a time of two threads, four of eight: each takes 40 ms.
          assert.ok((await live.round(1, 2)).workMs >= 16 * 40 - 1);
          assert.ok((await live.round(1, 8)).workMs >= 4 * 40 - 1);
          assert.ok((await live.round(1, 1)).workMs >= 16 * 40 - 1);
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
