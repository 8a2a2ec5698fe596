import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Guardian } from '@plimsoll/lab';
import { runCommand } from '#setups/command.js';

const guardian = new Guardian();
after(() => guardian.close());

const place = (signal = new AbortController().signal) => ({
  ...{ cwd: process.cwd(), env: process.env as Record<string, string> },
  ...{ guardian, signal },
});

const node = (code: string) => [process.execPath, '-e', code] as const;

/** Prints the id of a child that would stay for ever, which holds the pipes open too. */
const PARENT = `const { pid } = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
console.log(pid);`;

/** The kernel may take a moment to see a killed process off. */
async function isGone(pid: number): Promise<boolean> {
  for (const end = performance.now() + 30_000; performance.now() < end; ) {
    try {
      process.kill(pid, 0);
    } catch {
      return true;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return false;
}

test('keeps output and exit code', async () => {
  const argv = node("console.log('out'); console.error('err ' + process.env.EXTRA); process.exit(3)");
  const { stdout, stderr, exitCode, timedOut } = await runCommand({ argv, env: { EXTRA: 'yes' } }, place());
  assert.deepEqual(
    { stdout, stderr, exitCode, timedOut },
    { stdout: 'out\n', stderr: 'err yes\n', exitCode: 3, timedOut: false },
  );
});

test('what a command starts ends with it', async () => {
  const { stdout, exitCode } = await runCommand({ argv: node(`${PARENT} process.exit();`) }, place());
  assert.equal(exitCode, 0);
  assert.ok(await isGone(Number(stdout)));
});

test('what does not end in time is ended, with what it started', async () => {
  // Long enough to start two processes, on a machine that does nothing else.
  for (let timeoutMs = 1000, pid = 0; pid === 0; timeoutMs *= 3) {
    const { stdout, signal, timedOut } = await runCommand({ argv: node(PARENT), timeoutMs }, place());
    assert.deepEqual({ signal, timedOut }, { signal: 'SIGKILL', timedOut: true });
    pid = Number(stdout);
    if (pid !== 0) assert.ok(await isGone(pid));
  }
});

test('an interrupt ends it', async () => {
  const controller = new AbortController();
  const running = runCommand({ argv: node('setInterval(() => {}, 1000)') }, place(controller.signal));
  setTimeout(() => controller.abort(), 200);
  const { signal, timedOut } = await running;
  assert.deepEqual({ signal, timedOut }, { signal: 'SIGKILL', timedOut: false });
});

test('what has left the group does not keep the command waiting', async () => {
  const code = PARENT.replace("stdio: 'inherit'", "stdio: 'inherit', detached: true");
  const { stdout, timedOut } = await runCommand({ argv: node(`${code} process.exit();`) }, place());
  process.kill(Number(stdout), 'SIGKILL');
  assert.equal(timedOut, false);
});

test('a program that is not there has failed, and is named', async () => {
  const { exitCode, stderr } = await runCommand({ argv: ['/there/is/no/such'] }, place());
  assert.notEqual(exitCode, 0);
  assert.match(stderr, /there\/is\/no\/such ENOENT/);
});
