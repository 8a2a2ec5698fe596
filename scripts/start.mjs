// `npm start`: make the clone ready, then run plimsoll with the arguments given; without any, measure this machine and the sample
// server at every pool size, and write one report of both.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './run.mjs';
import { setup } from './setup.mjs';

const BENCH_SECONDS = 7;
const TUNE_SECONDS = 45;

setup();
if (process.argv.length === 2) process.exitCode = showAll();
else await import('../packages/plimsoll/dist/cli/main.js');

/** The exit code of the first that fails. */
function showAll() {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-start-'));
  const [bench, tune] = ['bench.json', 'tune.json'].map((name) => join(folder, name));
  const server = [process.execPath, 'examples/tune/server.mjs'];
  const traffic = ['--url', '/login', '--url', '/avatar', '--connections', '8'];
  // The terminal's Ctrl-C goes to the commands, too; they clean up and tell what they have.
  process.on('SIGINT', () => {});
  try {
    return (
      plimsoll(['bench', '--time', String(BENCH_SECONDS), '--json', bench]) ||
      plimsoll(['tune', ...traffic, '--time', String(TUNE_SECONDS), '--json', tune, '--', ...server]) ||
      plimsoll(['report', bench, tune, '--out', 'report.html'])
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param {readonly string[]} args */
function plimsoll(args) {
  const cli = join(root, 'packages/plimsoll/bin/plimsoll.js');
  // A free port, whatever listens on 3000.
  const env = { ...process.env, PORT: '0' };
  const { status, error } = spawnSync(process.execPath, [cli, ...args], { cwd: root, env, stdio: 'inherit' });
  if (error) throw error;
  process.stdout.write('\n');
  return status ?? 130;
}
