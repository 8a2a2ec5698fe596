import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { endpointOf, urlOf } from '#plimsoll/tune/endpoint.js';
import { freePort } from '../support/port.js';

const linux = process.platform === 'linux' ? {} : { skip: 'reads /proc' };

/** Run a program, in a process with these options, until it has written a line. */
async function started(program: string, options: readonly string[]): Promise<ChildProcess & { pid: number }> {
  const child = spawn(process.execPath, [...options, '-e', program], { stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child.stdout, 'data');
  return child as unknown as ChildProcess & { pid: number };
}

const LISTENS = `
const { createServer } = require('node:net');
const listen = (port, host) => new Promise((resolve) => createServer().listen(port, host, resolve));
`;

test(
  'the port that an app opened first, or the one that PORT names; not that of the inspector',
  linux,
  async () => {
    const [inspector, first, second] = [await freePort(), await freePort(), await freePort()];
    const program = `${LISTENS} listen(${first}, '0.0.0.0').then(() => listen(${second}, '::1')).then(() => console.log('x'))`;
    const child = await started(program, [`--inspect=127.0.0.1:${inspector}`]);
    try {
      const found = endpointOf([child.pid], undefined);
      assert.deepEqual([found?.host, found?.port], ['127.0.0.1', first]);
      const preferred = endpointOf([child.pid], String(second));
      assert.equal(preferred === null ? null : urlOf(preferred), `http://[::1]:${second}`);
      assert.equal(endpointOf([child.pid], '1')?.port, first);
    } finally {
      child.kill('SIGKILL');
    }
  },
);

test('no port: nothing listens, only the inspector does, or there is no /proc', linux, async () => {
  const inspector = await freePort();
  const child = await started("console.log('x'); setInterval(() => {}, 1000)", [
    `--inspect-port=${inspector}`,
    `--inspect`,
  ]);
  try {
    assert.equal(endpointOf([child.pid], undefined), null);
    assert.equal(endpointOf([], undefined), null);
    assert.equal(endpointOf([process.pid], undefined, '/nonexistent'), null);
  } finally {
    child.kill('SIGKILL');
  }
});
