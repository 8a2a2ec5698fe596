import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openMeasuringProcess } from '#plimsoll/bench/measuring-process.js';
import { Guardian } from '#plimsoll/lab/guardian.js';
import { openLocalResolver } from '#plimsoll/lab/resolver/resolver.js';
import { createRandom } from '#plimsoll/stats/random.js';
import { resolveParameters } from '#plimsoll/workloads/parameters.js';

const namespaces = spawnSync('unshare', ['--mount', '--net', 'true']).status === 0;

describe('the local resolver', namespaces ? {} : { skip: 'needs the right to make namespaces' }, () => {
  test('lookups take the set delay, half of the pool at a time; it leaves no process and no directory', async () => {
    const guardian = new Guardian();
    const resolver = await openLocalResolver(40, guardian);
    const directory = guardian.temporaryDirectory();
    const live = await openMeasuringProcess(
      {
        spec: { kind: 'built-in', name: 'dns', parameters: resolveParameters('dns', { operations: 16 }) },
        size: 8,
        resizes: false,
        directory,
        names: resolver.names,
        prefix: resolver.prefix,
        deadlineMs: 60_000,
      },
      { guardian, signal: new AbortController().signal },
      createRandom(1),
    );
    const { unloadedLatencyMs } = live.readiness;
    const { workMs } = await live.round(1, 8);
    await live.close();
    await resolver.close();
    await guardian.close();
    // Timers may be a millisecond early.
    assert.ok(unloadedLatencyMs >= 39, `one lookup took ${unloadedLatencyMs} ms`);
    // 16 lookups, 4 at a time: four waves, never fewer.
    assert.ok(workMs >= 4 * 39, `16 lookups took ${workMs} ms`);
    assert.equal(existsSync(directory), false);
    assert.equal(spawnSync('kill', ['-0', String(guardian.pid)]).status, 1, 'the guardian has ended');
  });
});

test('without namespaces it is the hosts file, and says why', async () => {
  const script = `
    import { openResolver } from ${JSON.stringify(fileURLToPath(new URL('../../dist/lab/resolver/resolver.js', import.meta.url)))};
    const guardian = { temporaryDirectory() { return process.env.DIR; }, remove() {} };
    const { mode, because } = await openResolver(guardian);
    console.log(JSON.stringify({ mode, because }));`;
  const directory = new Guardian();
  const path = directory.temporaryDirectory();
  // Without PATH there is no unshare.
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    env: { DIR: path, PATH: '/nonexistent' },
    encoding: 'utf8',
  });
  await directory.close();
  const { mode, because } = JSON.parse(stdout || stderr);
  assert.equal(mode, 'hosts');
  assert.match(because, /unshare/);
});
