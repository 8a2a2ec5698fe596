import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Guardian } from '#plimsoll/lab/guardian.js';
import { killGroup, type Started } from '#plimsoll/lab/process.js';
import { processesWith, until } from '../support/cli.js';

const linux = process.platform === 'linux' ? {} : { skip: 'looks for processes in /proc' };
const GUARDIAN = new URL('../../dist/lab/guardian.js', import.meta.url).href;

// What PM2's daemon does when its client dies in the middle of its start: nobody has heard of it, and it makes its
// directory anew whenever it is gone.
const daemon = `
  const { mkdirSync } = require('node:fs');
  process.title = 'daemon';
  setInterval(() => mkdirSync(process.env.DAEMON_HOME, { recursive: true }), 20);
`;

for (const end of [
  'process.kill(process.pid, "SIGKILL")',
  'guardian.remove(directory); await guardian.close()',
])
  test(`a daemon that nobody has heard of is ended with its directory: ${end}`, linux, async (t) => {
    const parent = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
    t.after(() => rmSync(parent, { recursive: true, force: true }));
    const program = `
      import { spawn } from 'node:child_process';
      import { readdirSync } from 'node:fs';
      import { Guardian } from ${JSON.stringify(GUARDIAN)};
      const guardian = new Guardian();
      const directory = guardian.temporaryDirectory();
      const env = { ...process.env, DAEMON_HOME: directory + '/home' };
      spawn(process.execPath, ['-e', ${JSON.stringify(daemon)}], { detached: true, stdio: 'ignore', env }).unref();
      while (!readdirSync(directory).includes('home')) await new Promise((resolve) => setTimeout(resolve, 5));
      ${end};
    `;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      env: { ...process.env, TMPDIR: parent },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    await once(child, 'exit');
    await until(() => processesWith(parent).length === 0, 120_000, 'every process is gone');
    assert.deepEqual(readdirSync(parent), []);
  });

test('a process whose environment names another directory is left alone', linux, async (t) => {
  const parent = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
  const home = join(parent, 'plimsoll-another');
  mkdirSync(home);
  t.after(() => rmSync(parent, { recursive: true, force: true }));
  const bystander = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { ...process.env, DAEMON_HOME: home },
  });
  const program = `
    import { Guardian } from ${JSON.stringify(GUARDIAN)};
    new Guardian().temporaryDirectory();
    process.kill(process.pid, 'SIGKILL');
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env: { ...process.env, TMPDIR: parent },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await once(child, 'exit');
  await until(() => readdirSync(parent).length === 1, 120_000, 'the directory of the guardian is gone');
  assert.equal(bystander.exitCode ?? bystander.signalCode, null);
  bystander.stdin?.end();
  await once(bystander, 'exit');
});

test('where no process can be started there is no guardian, and its error says so', (t) => {
  const { execPath } = process;
  t.after(() => {
    process.execPath = execPath;
  });
  process.execPath = '/nowhere/node';
  assert.throws(() => new Guardian(), { code: 'PLIMSOLL_NO_PROCESSES' });
});

test('a process that cannot be killed is not waited for for ever', async () => {
  // Above the largest number that Linux gives.
  const undead = { pid: 2 ** 22 + 1, exitCode: null, signalCode: null, stderr: null };
  assert.equal(await killGroup(Object.assign(new EventEmitter(), undead) as unknown as Started, 20), false);
});
