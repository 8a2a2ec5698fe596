import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createRandom, Guardian } from '@plimsoll/lab';
import { LiveContestant } from '#studies/common/live-contestant.js';

const ENTRY = fileURLToPath(new URL('../test/fixtures/takes-turns.mjs', import.meta.url));
const guardian = new Guardian();
after(() => guardian.close());

const open = (
  second: string,
  signal = new AbortController().signal,
  deadlineMs = 120_000,
): Promise<LiveContestant> => {
  const command = [process.execPath, ENTRY] as const;
  const request = { command, env: {}, job: { second }, deadlineMs };
  return LiveContestant.open(request, { guardian, signal }, createRandom(1));
};
const isGone = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};

describe('a contestant that is a process', () => {
  test('answers round after round, with the CPU time since it was started, and is gone when it is closed', async () => {
    const live = await open('works');
    const [first, second] = [await live.round(), await live.round()];
    assert.deepEqual([first.metrics, second.metrics], [{ rounds: 1 }, { rounds: 2 }]);
    assert.ok(first.totalCpuSeconds > 0 && second.totalCpuSeconds >= first.totalCpuSeconds);
    await live.close();
    assert.ok(isGone(live.pid));
  });

  for (const [second, says] of [
    ['throws', /^it broke$|^Error: it broke$/],
    ['dies', /its process ended \(code 7\)/],
    ['hangs', /not finished after 10 s/],
    ['no figure', /rounds is NaN/],
  ] as const)
    test(`that ${second} in a round fails with the reason`, async () => {
      // One waits for the deadline to pass; on a crowded machine it takes seconds to start.
      const live = await open(second, undefined, second === 'hangs' ? 10_000 : undefined);
      try {
        await live.round();
        await assert.rejects(live.round(), ({ message }: Error) => says.test(message));
      } finally {
        await live.end();
      }
      assert.ok(isGone(live.pid));
    });

  test('that cannot be opened says why, and an interrupted one throws an AbortError', async () => {
    await assert.rejects(open('never'), /it cannot be opened/);
    await assert.rejects(open('works', AbortSignal.abort()), { name: 'AbortError' });
    const controller = new AbortController();
    const live = await open('hangs', controller.signal);
    await live.round();
    const rejected = assert.rejects(live.round(), { name: 'AbortError' });
    controller.abort();
    await rejected;
    await live.end();
  });
});
