import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Guardian } from '@plimsoll/lab';
import { contenderNamed } from '#setups/contenders.js';
import { SETUPS } from '#setups/groups/groups.js';
import { runCell } from '#setups/run-cell.js';
import type { Setup } from '#setups/setup.js';

const line = Number(process.versions.node.split('.')[0]);
const node = { path: process.execPath, line };
const pool = fileURLToPath(new URL('../../packages/pool', import.meta.url));
const materials = { install: null, tarball: '', pool, linked: true } as const;
const guardian = new Guardian();

after(() => guardian.close());

/** A machine that has much else to do may need more time than the matrix gives to programs that hang. */
const patient = (setup: Setup): Setup => ({
  ...setup,
  commands: (...given) => setup.commands(...given).map((command) => ({ ...command, timeoutMs: 120_000 })),
});

// Most of a set-up's time goes by in a process of its own.
describe('the pool works here', { concurrency: 2 }, () => {
  for (const setup of SETUPS.filter(({ fast, lines }) => fast && (lines?.includes(line) ?? true)))
    test(`${setup.group}: ${setup.name}`, async ({ signal }) => {
      const plan = { setup: patient(setup), contender: contenderNamed('plimsoll'), node, materials };
      assert.equal(await runCell(plan, { guardian, signal, failures: null, keep: false }), null);
    });
});
