import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Guardian } from '#plimsoll/lab/guardian.js';
import { createRandom } from '#plimsoll/stats/random.js';
import { type CommandTimes, timeCommand } from '#plimsoll/tune/runs.js';
import { fixture, processesWith } from '../support/cli.js';

const linux = process.platform === 'linux' ? {} : { skip: 'uses a FIFO and /proc' };
const node = process.execPath;

/** Times it under a guardian, whose name is in the environment of nothing that is left. */
async function time(
  command: readonly string[],
  size: number,
  { mostMs = 60_000, signal = new AbortController().signal } = {},
): Promise<CommandTimes> {
  const guardian = new Guardian();
  try {
    return await timeCommand(command, size, mostMs, { guardian, signal, random: createRandom(1) });
  } finally {
    await guardian.close();
  }
}

describe('one run of a command', linux, () => {
  test('takes as long as its pool makes it', async () => {
    const command = [node, fixture('tune/pool-work.cjs'), '8'];
    const startedMs = performance.now();
    const { wallMs, isCutOff } = await time(command, 1);
    assert.equal(isCutOff, false);
    // A tenth of a second in each of eight turns, and no more than has gone by.
    assert.ok(wallMs >= 790 && wallMs <= performance.now() - startedMs, `${wallMs} ms`);
  });

  test('the CPU time of what it started and waited for is counted', async () => {
    const busy = `"${node}" -e "while (process.cpuUsage().user < 4e5);"; true`;
    const { cpuSeconds, wallMs } = await time(['sh', '-c', busy], 4);
    assert.ok(cpuSeconds !== null && cpuSeconds >= 0.4, `${cpuSeconds} s`);
    assert.ok(wallMs >= 400 * 0.9);
  });

  test('one that fails says at which size, and its last words', async () => {
    await assert.rejects(time([node, fixture('tune/pool-work.cjs'), '1', '2'], 2), {
      code: 'PLIMSOLL_TARGET_FAILED',
      message: 'the command failed with 2 pool threads (exit code 3; it last wrote: cannot work with 2)',
    });
    await assert.rejects(time([node, '-e', 'null.x'], 2), {
      message: /exit code 1; it last wrote: TypeError: Cannot read properties of null/,
    });
    await assert.rejects(time(['no-such-program'], 2), {
      code: 'PLIMSOLL_TARGET_FAILED',
      message: /there is no such command/,
    });
  });

  test('one that takes too long is cut off, and one that is interrupted is ended, both with what they started', async () => {
    const mark = `left-${process.pid}`;
    const command = ['sh', '-c', `"${node}" -e "setInterval(() => {}, 1000)" ${mark} & wait`];
    const { isCutOff, wallMs, cpuSeconds } = await time(command, 4, { mostMs: 300 });
    assert.deepEqual([isCutOff, cpuSeconds], [true, null]);
    assert.ok(wallMs >= 290);
    assert.deepEqual(processesWith(mark), []);
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('interrupted')), 300);
    await assert.rejects(time(command, 4, { signal: controller.signal }), { message: 'interrupted' });
    assert.deepEqual(processesWith(mark), []);
  });
});
