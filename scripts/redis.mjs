// A Redis of one's own on a free port, for tests, an example and a study.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findProgram } from './apt-get.mjs';
import { freePort } from './free-port.mjs';

/** Names the program itself, before what PATH has. */
export const VARIABLE = 'PLIMSOLL_REDIS';

/** A port may be taken between the look for it and the start. */
const ATTEMPTS = 5;

/**
 * The path of a redis-server, or Valkey's; `null` when there is none.
 *
 * @param {NodeJS.ProcessEnv} [env]
 */
export const findRedis = (env = process.env) =>
  findProgram(['redis-server', 'valkey-server'], env[VARIABLE], env);

/**
 * A server that was started: on 127.0.0.1, with its files in a folder of its own.
 *
 * @typedef {object} RedisServer
 * @property {string} url
 * @property {number} port
 * @property {() => Promise<void>} start again, with what it has written, after `kill` or `shutdown`
 * @property {() => Promise<void>} shutdown it ends by SIGTERM
 * @property {() => Promise<void>} kill it ends by SIGKILL
 * @property {() => void} freeze it stands still: connections stay open, and nothing is answered
 * @property {() => void} thaw it goes on
 * @property {() => Promise<void>} stop it ends, and its folder goes
 */

/**
 * Starts a Redis that ends with this process, at the latest.
 *
 * @param {{ password?: string, appendOnly?: boolean }} [options]
 * @returns {Promise<RedisServer>}
 */
export async function startRedis({ password, appendOnly = false } = {}) {
  const program = findRedis();
  if (program === null) throw new Error(`there is no redis-server on PATH, and ${VARIABLE} names none`);
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-redis-'));
  // It listens there once it has its port, which another program may have taken by then.
  const socket = join(folder, 'socket');
  const args = [
    ...['--bind', '127.0.0.1', '--unixsocket', socket, '--dir', folder],
    ...['--save', '', '--loglevel', 'warning'],
    ...['--appendonly', appendOnly ? 'yes' : 'no', '--appendfsync', 'always'],
    ...(password === undefined ? [] : ['--requirepass', password]),
  ];
  let port = 0;
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let child;
  const start = async () => {
    child = spawn(program, [...args, '--port', String(port)], { stdio: 'ignore' });
    await listening(socket, child);
  };
  /** @param {NodeJS.Signals} signal */
  const end = async (signal) => {
    const ended = child;
    child = undefined;
    if (ended === undefined || ended.exitCode !== null || ended.signalCode !== null) return;
    const exit = new Promise((resolve) => ended.once('exit', resolve));
    ended.kill(signal);
    await exit;
  };
  const onExit = () => {
    child?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.on('exit', onExit);
  for (let attempts = 1; ; attempts++) {
    port = await freePort();
    try {
      await start();
      break;
    } catch (error) {
      if (attempts === ATTEMPTS) throw error;
    }
  }
  return {
    port,
    url: `redis://${password === undefined ? '' : `:${password}@`}127.0.0.1:${port}`,
    start,
    shutdown: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    stop: async () => {
      child?.kill('SIGCONT');
      await end('SIGTERM');
      process.off('exit', onExit);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** @type {(socket: string, child: import('node:child_process').ChildProcess) => Promise<void>} */
async function listening(socket, child) {
  while (!(await canConnect(socket))) {
    if (child.exitCode !== null) throw new Error(`redis-server has ended with ${child.exitCode}`);
    await sleep(20);
  }
}

/** @param {string} path @returns {Promise<boolean>} */
function canConnect(path) {
  return new Promise((resolve) => {
    const socket = connect(path, () => resolve(true));
    socket.on('error', () => resolve(false)).on('connect', () => socket.destroy());
  });
}
