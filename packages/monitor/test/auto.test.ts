import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readSettings } from '../dist/auto-settings.js';
import { fixture, HAS_FIFOS, IS_LINUX, runNode } from './support.js';

/** Where `@plimsoll/monitor/auto` is found by its name. */
const cwd = fileURLToPath(new URL('..', import.meta.url));
const AUTO = '@plimsoll/monitor/auto';

/** A process that stands still for a while must not warn of it, where the test is of something else. */
const environment = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  ...process.env,
  PLIMSOLL_MONITOR_WAIT_MS: '60000',
  ...more,
});

for (const flag of ['--import', '--require']) {
  test(`${flag} needs no change of the application: it prints and ends as before`, async () => {
    const { code, stdout, stderr } = await runNode([flag, AUTO, '-e', "console.log('as', 'before')"], {
      cwd,
    });
    assert.deepEqual([code, stdout, stderr], [0, 'as before\n', '']);
  });

  test(`${flag}: the application may take the monitor, and Workers start no other`, async () => {
    const { stdout, stderr } = await runNode([flag, AUTO, fixture('auto.cjs')], { cwd, env: environment() });
    assert.deepEqual([stdout.trim().split('\n'), stderr], [['main: counting', 'worker: undefined'], '']);
  });

  test(`${flag}: one line says that the pool is saturated`, { skip: !HAS_FIFOS }, async () => {
    const { stderr } = await runNode([flag, AUTO, fixture('saturated.cjs'), 'until warned'], {
      cwd,
      env: environment({ PLIMSOLL_MONITOR_WAIT_MS: '50', PLIMSOLL_MONITOR_RESOLUTION: '5' }),
    });
    const warnings = stderr.split('\n').filter((line) => line.includes('PLIMSOLL'));
    assert.equal(warnings.length, 1, stderr);
    assert.match(
      warnings[0] as string,
      /\[PLIMSOLL_POOL_SATURATED\] PlimsollWarning: For 1 s no job got a libuv pool thread within 50 ms; the last one waited \d+ ms/,
    );
  });
}

test('a rescue is not kept secret by the end of the process', { skip: !IS_LINUX }, async () => {
  const env = environment({ PLIMSOLL_MONITOR_RESCUE_MAX: '8', PLIMSOLL_MONITOR_RESCUE_SIZE: '2' });
  const { code, stderr } = await runNode(['--require', AUTO, fixture('rescued-at-exit.cjs')], { cwd, env });
  assert.equal(code, 0);
  // A look before the second of the two hangs adds one thread.
  assert.match(
    stderr,
    /\[PLIMSOLL_POOL_RESCUED\] PlimsollWarning: libuv's pool: 2 → [34] threads; jobs waited/,
  );
});

test('no warnings when they are not wanted', { skip: !HAS_FIFOS }, async () => {
  const { stderr } = await runNode(['--import', AUTO, fixture('saturated.cjs')], {
    cwd,
    env: environment({ PLIMSOLL_MONITOR_WAIT_MS: '0' }),
  });
  assert.equal(stderr, '');
});

test('a pool whose size is not the one that was asked for is named', { skip: !IS_LINUX }, async () => {
  for (const flag of ['--require', '--import']) {
    const { stdout, stderr } = await runNode([flag, AUTO, fixture('auto-size.cjs')], {
      cwd,
      env: environment(),
    });
    const size = stdout.trim();
    if (flag === '--require') assert.equal(size, '16');
    if (size === '16') assert.equal(stderr, '');
    else
      assert.match(
        stderr,
        /\[PLIMSOLL_POOL_SIZE\] PlimsollWarning: libuv's pool has 4 threads, but UV_THREADPOOL_SIZE is '16'/,
      );
  }
});

test('/metrics is served, and does not keep the application alive', async (t) => {
  const port = await freePort();
  const child = spawn(process.execPath, ['--import', AUTO, fixture('until-told.cjs')], {
    cwd,
    env: environment({ PLIMSOLL_MONITOR_LISTEN: String(port), PLIMSOLL_MONITOR_RESOLUTION: '2' }),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  await once(createInterface(child.stdout), 'line');
  const counted =
    /^nodejs_thread_pool_queue_duration_seconds_count\{nodejs_thread_pool_work_kind="fast"\} [1-9]/m;
  let text = '';
  while (!counted.test(text)) {
    // The application may run before the port is open.
    const response = await fetch(`http://127.0.0.1:${port}/metrics`).catch(() => undefined);
    if (response === undefined) continue;
    assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
    text = await response.text();
  }
  assert.equal((await fetch(`http://127.0.0.1:${port}/`)).status, 404);
  child.stdin.end();
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});

test('each process of a cluster serves its own, one that replaces another the same port', async () => {
  const port = await freePort(3);
  const { code, stdout, stderr } = await runNode(['--import', AUTO, fixture('cluster.cjs'), String(port)], {
    cwd,
    env: environment({ PLIMSOLL_MONITOR_LISTEN: String(port), PLIMSOLL_MONITOR_RESOLUTION: '2' }),
  });
  assert.deepEqual([code, stderr], [0, '']);
  assert.deepEqual(JSON.parse(stdout), [200, 200, 200]);
});

test('a port that is taken, or a wrong setting, is a warning and no end', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  const { code, stdout, stderr } = await runNode(
    ['--import', AUTO, '-e', "setTimeout(() => console.log('on'), 300)"],
    {
      cwd,
      env: environment({ PLIMSOLL_MONITOR_LISTEN: `127.0.0.1:${port}`, PLIMSOLL_MONITOR_RESOLUTION: '0' }),
    },
  );
  assert.deepEqual([code, stdout], [0, 'on\n']);
  assert.match(
    stderr,
    /PLIMSOLL_MONITOR_RESOLUTION must be a whole number of milliseconds from 1 on, not '0'/,
  );
  assert.match(stderr, /No \/metrics: .*EADDRINUSE/);
});

test('a process without the right to have threads, or a port for each worker, runs all the same', async () => {
  const major = Number.parseInt(process.versions.node, 10);
  const flag = major < 22 ? '--experimental-permission' : '--permission';
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const without = await runNode(
    [flag, `--allow-fs-read=${root}*`, '--require', AUTO, '-e', "console.log('on')"],
    { cwd },
  );
  assert.deepEqual([without.code, without.stdout], [0, 'on\n'], without.stderr);
  assert.match(without.stderr, /PLIMSOLL_MONITOR_LOST.*The thread pool is not monitored: /);
  const env = environment({ PLIMSOLL_MONITOR_LISTEN: '65535' });
  const clustered = await runNode(['--require', AUTO, fixture('last-port.cjs')], { cwd, env });
  assert.deepEqual([clustered.code, clustered.stdout], [0, 'on\n'], clustered.stderr);
  assert.match(clustered.stderr, /No \/metrics: .*65536/);
});

test('an OpenTelemetry SDK is found, whether it was started before or after', async () => {
  for (const order of ['before', 'after']) {
    const { stdout, stderr } = await runNode([fixture('otel.cjs'), order], { cwd, env: environment() });
    assert.deepEqual([stdout.trim(), stderr], ['nodejs.thread_pool.queue.duration', ''], order);
  }
});

test('settings are read, and what is wrong is named', () => {
  const nothing = {
    resolution: undefined,
    waitMs: 100,
    listen: undefined,
    complaints: [],
    rescue: undefined,
  };
  assert.deepEqual(readSettings({}), nothing);
  assert.deepEqual(readSettings({ PLIMSOLL_MONITOR_LISTEN: '', PLIMSOLL_MONITOR_WAIT_MS: '' }), nothing);
  const listens = { '9464': ['127.0.0.1', 9464], '0.0.0.0:1': ['0.0.0.0', 1], '[::1]:80': ['::1', 80] };
  for (const [text, [host, port]] of Object.entries(listens))
    assert.deepEqual(readSettings({ PLIMSOLL_MONITOR_LISTEN: text }).listen, { host, port });
  for (const text of ['70000', 'port', 'host:', '1.5', '-1', 'a:b'])
    assert.deepEqual(readSettings({ PLIMSOLL_MONITOR_LISTEN: text }), {
      ...nothing,
      complaints: [`PLIMSOLL_MONITOR_LISTEN must be PORT or HOST:PORT, not '${text}'`],
    });
  for (const text of ['-1', 'soon', 'Infinity'])
    assert.equal(readSettings({ PLIMSOLL_MONITOR_WAIT_MS: text }).complaints.length, 1);
  assert.equal(readSettings({ PLIMSOLL_MONITOR_WAIT_MS: '0' }).waitMs, undefined);
});

/** The first of so many free ports in a row; below those that systems give, of which one may be taken meanwhile. */
async function freePort(count = 1): Promise<number> {
  for (;;) {
    const first = randomInt(15_000, 30_000);
    const ports = Array.from({ length: count }, (_, index) => first + index);
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return first;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
      .once('error', () => resolve(false))
      .listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
