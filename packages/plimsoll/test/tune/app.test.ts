import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Guardian } from '#plimsoll/lab/guardian.js';
import { type App, startApp } from '#plimsoll/tune/app.js';
import { freePort } from '../support/port.js';

const linux = process.platform === 'linux' ? {} : { skip: 'reads /proc' };
const signal = AbortSignal.timeout(120_000);

async function withApp(command: readonly string[], look: (app: App) => Promise<void>): Promise<void> {
  const guardian = new Guardian();
  try {
    const app = await startApp({ command, sizes: [4], stdout: 'nowhere' }, { guardian });
    try {
      await look(app);
    } finally {
      await app.stop(signal);
    }
  } finally {
    await guardian.close();
  }
}

test(
  'the variable PORT names the port of the requests, though another one opens first',
  linux,
  async (context) => {
    const [metrics, port] = [await freePort(), await freePort()];
    const program = `
    const { createServer } = require('node:http');
    const listen = (port) => createServer((_request, response) => response.end()).listen(port, '127.0.0.1');
    listen(${metrics});
    setTimeout(listen, 700, ${port});
  `;
    // However long the app takes: it has three seconds by this clock.
    const clock = context.mock.method(performance, 'now', () => 0);
    const before = process.env.PORT;
    process.env.PORT = String(port);
    try {
      await withApp([process.execPath, '-e', program], async (app) => {
        const nature = await app.nature(30_000, 30_000, signal);
        assert.equal(nature.is === 'serving' ? nature.endpoint?.port : nature.is, port);
        clock.mock.restore();
      });
    } finally {
      if (before === undefined) delete process.env.PORT;
      else process.env.PORT = before;
    }
  },
);

test('a command that listened, and ended before its agent was there, has ended', linux, async (context) => {
  let nowMs = 0;
  const clock = context.mock.method(performance, 'now', () => nowMs);
  // Without the agent.
  const program = "require('node:net').createServer().listen(0, '127.0.0.1'); setTimeout(process.exit, 1000)";
  await withApp(['env', 'NODE_OPTIONS=', process.execPath, '-e', program], async (app) => {
    // Now it is too late for one.
    void app.ended.then(() => {
      nowMs = 60_000;
    });
    assert.deepEqual(await app.nature(30_000, 30_000, signal), { is: 'ended' });
    clock.mock.restore();
  });
});
