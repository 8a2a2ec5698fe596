import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Guardian } from '@plimsoll/lab';
import { contenderNamed } from '#setups/contenders.js';
import { SETUPS } from '#setups/groups/groups.js';
import { runCell } from '#setups/run-cell.js';

const line = Number(process.versions.node.split('.')[0]);
const node = { path: process.execPath, line };
const pool = fileURLToPath(new URL('../../packages/pool', import.meta.url));
const materials = { install: null, tarball: '', pool, linked: true } as const;
const guardian = new Guardian();

after(() => guardian.close());

// Most of a set-up's time goes by in a process of its own.
describe('the pool works here', { concurrency: 2 }, () => {
  for (const setup of SETUPS.filter(({ fast, lines }) => fast && (lines?.includes(line) ?? true)))
    test(`${setup.group}: ${setup.name}`, async ({ signal }) => {
      const plan = { setup, contender: contenderNamed('plimsoll'), node, materials };
      assert.equal(await runCell(plan, { guardian, signal, failures: null, keep: false }), null);
    });
});
