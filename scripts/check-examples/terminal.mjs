// A shell in a folder: commands that take turns, those that stay, and Ctrl-C.
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** What still runs then has its terminal for itself, and the next command is typed in another one. */
const PATIENCE_MS = 6_000;
/** Between Ctrl-C and the end. */
const GRACE_MS = 15_000;

/** Ends what has not ended yet. @type {Set<() => void>} */
const alive = new Set();
process.on('exit', () => {
  for (const killNow of alive) killNow();
});

/**
 * @typedef {object} Running
 * @property {string} command
 * @property {number | undefined} pid
 * @property {() => string} output
 * @property {Promise<number | null>} ended the exit code; `null` after a signal
 * @property {() => boolean} isOver
 * @property {() => Promise<boolean>} interrupt by Ctrl-C; false when it had to be killed
 */

/** @type {(command: string, options: { cwd: string, env: NodeJS.ProcessEnv }) => Running} */
export function type(command, { cwd, env }) {
  // A group of its own, which Ctrl-C reaches as a terminal's does.
  const child = spawn('sh', ['-c', command], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let isOver = false;
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output = `${output}${text}`.slice(-20_000);
    });
  /** @type {Promise<number | null>} */
  const ended = new Promise((resolve) => child.once('close', resolve));
  void ended.then(() => {
    isOver = true;
    alive.delete(killNow);
  });
  /** @param {NodeJS.Signals} signal */
  const kill = (signal) => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    } catch {
      // It has ended meanwhile.
    }
  };
  const killNow = () => kill('SIGKILL');
  alive.add(killNow);
  return {
    command,
    pid: child.pid,
    output: () => output,
    ended,
    isOver: () => isOver,
    interrupt: async () => {
      if (isOver) return true;
      kill('SIGINT');
      await Promise.race([ended, sleep(GRACE_MS, undefined, { ref: false })]);
      if (isOver) return true;
      kill('SIGKILL');
      await ended;
      return false;
    },
  };
}

/** True when it has ended in time. @param {Running} running @param {number} [ms] @returns {Promise<boolean>} */
export async function endsIn(running, ms = PATIENCE_MS) {
  await Promise.race([running.ended, sleep(ms, undefined, { ref: false })]);
  return running.isOver();
}
