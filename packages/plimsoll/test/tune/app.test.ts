import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Guardian } from '#plimsoll/lab/guardian.js';
import { startApp } from '#plimsoll/tune/app.js';
import { freePort } from '../support/port.js';

const linux = process.platform === 'linux' ? {} : { skip: 'reads /proc' };

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
    context.mock.method(performance, 'now', () => 0);
    const before = process.env.PORT;
    process.env.PORT = String(port);
    const guardian = new Guardian();
    const signal = AbortSignal.timeout(60_000);
    try {
      const app = await startApp(
        { command: [process.execPath, '-e', program], sizes: [4], stdout: 'nowhere' },
        { guardian },
      );
      try {
        const nature = await app.nature(30_000, 30_000, signal);
        assert.equal(nature.is === 'serving' ? nature.endpoint?.port : nature.is, port);
      } finally {
        await app.stop(signal);
      }
    } finally {
      if (before === undefined) delete process.env.PORT;
      else process.env.PORT = before;
      await guardian.close();
    }
  },
);
