import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { resolveParameters, type WorkloadName } from '#plimsoll/workloads/parameters.js';
import { prepareWorkload } from '#plimsoll/workloads/prepare.js';

/** Calls that one operation records. */
const CALLS: Record<WorkloadName, number> = { file: 3, crypto: 1, zlib: 2, dns: 1, mixed: 1 };

describe('a round does what it says and leaves its directory empty', () => {
  for (const [name, calls] of Object.entries(CALLS) as [WorkloadName, number][])
    test(name, async () => {
      const directory = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
      const parameters = resolveParameters(name, { operations: 6, scale: 0.001 });
      const workload = await prepareWorkload(
        { kind: 'built-in', name, parameters },
        { size: 4, directory, names: ['localhost'] },
      );
      assert.equal(workload.operations, 6);
      const latencies: number[] = [];
      await workload.round(5, (ms) => latencies.push(ms));
      await workload.close();
      assert.equal(latencies.length, 5 * calls);
      assert.ok(latencies.every((ms) => ms > 0));
      assert.deepEqual(readdirSync(directory), []);
      rmSync(directory, { recursive: true });
    });
});
