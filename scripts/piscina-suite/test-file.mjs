import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @typedef {{ name: string, outcome: 'passed' | 'failed' | 'skipped', reason?: string }} TestOutcome */

const LIMIT = 90_000;
const reporter = fileURLToPath(new URL('reporter.mjs', import.meta.url));

/** Runs one of Piscina's test files as its own package.json does. @type {(directory: string, file: string) => Promise<TestOutcome[]>} */
export async function runTestFile(directory, file) {
  const child = spawn(
    process.execPath,
    ['--enable-source-maps', '--import=tsx', '--test', `--test-reporter=${reporter}`, file],
    // A group of its own, so that the test's process ends with the runner's.
    { cwd: directory, stdio: ['ignore', 'pipe', 'inherit'], detached: process.platform !== 'win32' },
  );
  let hangs = false;
  const timer = setTimeout(() => {
    hangs = true;
    kill(child);
  }, LIMIT);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  await once(child, 'close');
  clearTimeout(timer);
  const tests = read(output, basename(file));
  if (hangs)
    tests.push({ name: named(file, 'all tests'), outcome: 'failed', reason: `no end in ${LIMIT / 1000} s` });
  return tests;
}

/** @param {import('node:child_process').ChildProcess} child */
function kill(child) {
  if (process.platform === 'win32') child.kill();
  else if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
}

/** @type {(file: string, name: string) => string} */
const named = (file, name) => `${basename(file)}: ${name}`;

/** Some of Piscina's tests have the same name: the second one gets a number. @type {(output: string, file: string) => TestOutcome[]} */
function read(output, file) {
  const seen = new Map();
  return output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => {
      const test = JSON.parse(line);
      const name = named(file, test.name);
      const count = (seen.get(name) ?? 0) + 1;
      seen.set(name, count);
      return { ...test, name: count === 1 ? name : `${name} (${count})` };
    });
}
