import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Guardian } from '../guardian.js';
import { DnsUnavailable, type Resolver } from './resolver.js';

const RESPONDER = fileURLToPath(new URL('./responder.js', import.meta.url));
const START_DEADLINE_MS = 5000;
const NAMES = 64;

/**
 * In the namespace: bring loopback up, put resolv.conf and nsswitch.conf in place (nsswitch too: a machine with
 * nss-resolve asks systemd-resolved over a socket, which no network namespace hides), become the responder.
 * `$@` are the two files and the responder's command.
 */
const ENTER = `ip link set lo up &&
mount --bind "$1" /etc/resolv.conf &&
mount --bind "$2" /etc/nsswitch.conf &&
shift 2 && exec "$@"`;

/**
 * A resolver on loopback that answers after `delayMs`, inside a private mount and network namespace that nothing
 * outside can see. Linux, with the right to make namespaces (root, or unprivileged user namespaces).
 *
 * @throws {DnsUnavailable} when it cannot be had here, with the reason.
 */
export async function openLocalResolver(delayMs: number, guardian: Guardian): Promise<Resolver> {
  if (process.platform !== 'linux') throw new DnsUnavailable('namespaces need Linux');
  const asRoot = process.getuid?.() === 0;
  const directory = guardian.temporaryDirectory();
  const resolv = join(directory, 'resolv.conf');
  const nsswitch = join(directory, 'nsswitch.conf');
  writeFileSync(resolv, 'nameserver 127.0.0.1\noptions timeout:30 attempts:1\n');
  writeFileSync(nsswitch, 'passwd: files\ngroup: files\nhosts: files dns\n');

  const child = spawn(
    'unshare',
    [
      ...(asRoot ? [] : ['--user', '--map-root-user']),
      ...['--mount', '--net', '--', 'sh', '-c', ENTER, 'sh', resolv, nsswitch],
      ...[process.execPath, RESPONDER, String(delayMs)],
    ],
    { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], detached: true },
  );
  try {
    await listening(child);
  } catch (error) {
    await stop(child);
    guardian.remove(directory);
    throw error;
  }
  const pid = child.pid as number;
  guardian.watch(pid);
  const prefix = [
    ...['nsenter', `--mount=/proc/${pid}/ns/mnt`, `--net=/proc/${pid}/ns/net`],
    ...(asRoot ? [] : [`--user=/proc/${pid}/ns/user`, '--preserve-credentials']),
    '--',
  ];
  return {
    mode: 'local',
    delayMs,
    names: Array.from({ length: NAMES }, (_, index) => `host-${index}.plimsoll.test`),
    prefix,
    description: `a resolver on loopback that answers after ${delayMs} ms, in a private namespace`,
    async close() {
      await stop(child);
      guardian.forget(pid);
      guardian.remove(directory);
    },
  };
}

async function listening(child: ChildProcess): Promise<void> {
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-500);
  });
  const deadline = AbortSignal.timeout(START_DEADLINE_MS);
  const failed = new Promise<never>((_, reject) => {
    const fail = (why: string): void => reject(new DnsUnavailable(why));
    child.once('error', (error) => fail(`unshare cannot be started (${error.message})`));
    child.once('close', (code) =>
      fail(stderr.trim().split('\n')[0] || `unshare ended with exit code ${code}`),
    );
    deadline.addEventListener('abort', () =>
      fail(`the responder did not start within ${START_DEADLINE_MS} ms`),
    );
  });
  await Promise.race([once(child, 'message'), failed]);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  process.kill(-child.pid, 'SIGKILL');
  await gone;
}
