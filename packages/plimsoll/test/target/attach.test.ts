import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, describe, test } from 'node:test';
import { listenersOf } from '#plimsoll/host/sockets.js';
import { type AttachOptions, attach, RemoteError } from '#plimsoll/target/attach.js';
import { until } from '../support/cli.js';
import { freePort } from '../support/port.js';

const directory = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
after(() => rmSync(directory, { recursive: true }));

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

const STAYS = 'console.log("ready"); setInterval(() => {}, 1000);';
/** The inspector opens at any free port, so that tests do not wait for one another; it is not open yet. */
const ANY_PORT = '--inspect-port=0';

/** A program that has said something. */
async function start(
  text: string,
  { name = 'app.cjs', flags = [ANY_PORT], env = {}, before = [] as string[] } = {},
): Promise<number> {
  const file = join(directory, name);
  writeFileSync(file, text);
  const [command = '', ...args] = [...before, process.execPath, ...flags, file];
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  running.push(child);
  await once(child.stdout, 'data');
  return child.pid as number;
}

async function evaluate(pid: number, source: string, options?: AttachOptions): Promise<unknown> {
  const attached = await attach(pid, options);
  try {
    return await attached.evaluate(source);
  } finally {
    await attached.close();
  }
}

const listens = (pid: number): boolean => listenersOf(pid).length > 0;

describe('attach', { skip: process.platform !== 'linux' && 'needs /proc' }, () => {
  test('ticks that an expression adds are worked off, wherever the inspector has interrupted the program', async () => {
    const turn = 'const turn = () => { process.nextTick(() => {}); setImmediate(turn); }; turn();';
    const pid = await start(`console.log('ready'); ${turn}`, { flags: [ANY_PORT, '--no-opt'] });
    const attached = await attach(pid);
    const tick = 'new Promise((resolve) => process.nextTick(resolve, "ticked"))';
    for (let times = 0; times < 50; times++) assert.equal(await attached.evaluate(tick), 'ticked');
    await attached.close();
  });

  for (const name of ['app.cjs', 'app.mjs'])
    test(`an expression, a promise, require and an error, in ${name}; the inspector is closed afterwards`, async () => {
      const pid = await start(STAYS, { name });
      const attached = await attach(pid);
      assert.deepEqual(await attached.evaluate('({ pid: process.pid })'), { pid });
      assert.equal(
        await attached.evaluate('new Promise((resolve) => setTimeout(resolve, 20, "late"))'),
        'late',
      );
      assert.equal(await attached.evaluate('require("node:path").sep'), '/');
      assert.equal(await attached.evaluate('undefined'), undefined);
      await assert.rejects(
        attached.evaluate('(() => { throw Object.assign(new TypeError("bad"), { code: "X" }); })()'),
        (error: unknown) =>
          error instanceof RemoteError &&
          `${error.name} ${error.message} ${error.code}` === 'TypeError bad X',
      );
      await assert.rejects(attached.evaluate('Promise.reject(new Error("later"))'), { message: 'later' });
      await assert.rejects(attached.evaluate('no such thing'), /SyntaxError/);
      await attached.close();
      // Before it would close by itself, after 15 s.
      await until(() => !listens(pid), 10_000);
      assert.equal(await evaluate(pid, 'process.pid'), pid, 'and it can be opened again');
    });

  test('expressions at the same time have each their own value', async () => {
    const attached = await attach(await start(STAYS));
    const late = [3, 1, 2].map((n) =>
      attached.evaluate(`new Promise((resolve) => setTimeout(resolve, ${n * 20}, ${n}))`),
    );
    assert.deepEqual(await Promise.all(late), [3, 1, 2]);
    await attached.close();
  });

  test('a main thread in a loop that does not end gives no value, and its inspector is closed', async () => {
    const pid = await start('require("node:fs").writeSync(1, "ready"); for (;;);');
    const attached = await attach(pid);
    await assert.rejects(attached.evaluate('process.pid', 200), { code: 'PLIMSOLL_TARGET_HUNG' });
    await attached.close();
    await until(() => !listens(pid));
  });

  test('an inspector that was open before stays open', async () => {
    const pid = await start(STAYS, { flags: ['--inspect=0'] });
    assert.equal(await evaluate(pid, 'process.pid'), pid);
    assert.equal(await evaluate(pid, 'process.pid'), pid);
    assert.equal(listens(pid), true);
  });

  test('two processes with one port get it in turn', async () => {
    const flags = [`--inspect-port=${await freePort()}`];
    const pids = [await start(STAYS, { flags }), await start(STAYS, { flags })];
    assert.deepEqual(await Promise.all(pids.map((pid) => evaluate(pid, 'process.pid'))), pids);
  });

  test('the inspector closes by itself when plimsoll is killed', async () => {
    const pid = await start(STAYS);
    const module = import.meta.resolve('#plimsoll/target/attach.js');
    const text = `import { attach } from ${JSON.stringify(module)};
const attached = await attach(${pid}); await attached.evaluate('1', 2000).catch(() => {}); process.kill(process.pid, 'SIGKILL');`;
    const { signal } = spawnSync(process.execPath, ['--input-type=module', '-e', text]);
    assert.deepEqual([signal, listens(pid)], ['SIGKILL', true]);
    await until(() => !listens(pid));
  });
});

describe('what cannot be attached to', { skip: process.platform !== 'linux' && 'needs /proc' }, () => {
  test('a process that is gone', async () => {
    await assert.rejects(attach(2 ** 22), {
      code: 'PLIMSOLL_NO_PROCESS',
      message: 'there is no process 4194304',
    });
  });

  test('a process that is not Node is left alone', async () => {
    const child = spawn('sleep', ['60'], { stdio: 'ignore' });
    running.push(child);
    await once(child, 'spawn');
    await until(() => readFileSync(`/proc/${child.pid}/comm`, 'utf8') === 'sleep\n');
    await assert.rejects(attach(child.pid as number), { code: 'PLIMSOLL_NOT_NODE' });
    assert.deepEqual([child.exitCode, child.signalCode], [null, null]);
  });

  test("another user's process", { skip: process.getuid?.() !== 0 && 'needs root' }, async () => {
    const pid = await start(STAYS);
    const module = import.meta.resolve('#plimsoll/target/attach.js');
    const text = `import(${JSON.stringify(module)}).then(({ attach }) => attach(${pid})).catch((error) => console.log(error.code))`;
    const user = ['--reuid=65534', '--regid=65534', '--clear-groups', '--bounding-set=-all'];
    const { stdout } = spawnSync('setpriv', [...user, process.execPath, '-e', text], { encoding: 'utf8' });
    assert.equal(stdout, 'PLIMSOLL_NOT_PERMITTED\n');
  });

  const canUnshare = spawnSync('unshare', ['--net', 'true']).status === 0;
  test('a process in a container', {
    skip: !canUnshare && 'needs the right to make namespaces',
  }, async () => {
    const pid = await start(STAYS, { before: ['unshare', '--net'] });
    await assert.rejects(attach(pid), { code: 'PLIMSOLL_NOT_PERMITTED', message: /in a container/ });
  });

  const SWITCH = '--disable-sigusr1';
  test('an inspector that is switched off, by a variable too', {
    skip: !process.allowedNodeEnvironmentFlags.has(SWITCH) && 'this Node has no such flag',
  }, async () => {
    for (const options of [{ flags: [SWITCH] }, { env: { NODE_OPTIONS: SWITCH } }]) {
      const pid = await start(STAYS, options);
      await assert.rejects(attach(pid), {
        code: 'PLIMSOLL_NO_INSPECTOR',
        message: /switched off \(--disable-sigusr1/,
      });
      process.kill(pid, 0);
    }
  });

  test('a program with a listener for SIGUSR1', async () => {
    const pid = await start(`process.on('SIGUSR1', () => {}); ${STAYS}`);
    await assert.rejects(attach(pid, { timeoutMs: 300 }), {
      code: 'PLIMSOLL_NO_INSPECTOR',
      message: /did not open its inspector within 300 ms of SIGUSR1: does the program listen for this signal/,
    });
  });

  test('a port that another process has', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const pid = await start(STAYS, { flags: [`--inspect-port=${port}`] });
    await assert.rejects(attach(pid, { timeoutMs: 200 }), {
      code: 'PLIMSOLL_PORT_IN_USE',
      message: new RegExp(`port ${port}, .* process ${process.pid};`),
    });
    server.close();
  });

  test('a process that ends meanwhile', async () => {
    const pid = await start(STAYS);
    const attached = await attach(pid);
    const waiting = attached.evaluate('new Promise(() => {})');
    const rejection = assert.rejects(waiting, {
      code: 'PLIMSOLL_TARGET_DIED',
      message: `process ${pid} ended meanwhile`,
    });
    process.kill(pid, 'SIGKILL');
    await rejection;
    await attached.close();
  });
});
