import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Guardian } from '../guardian.js';
import { endOf, killGroup, type Started, startProcess } from '../process.js';

/** Where lookups go in an experiment, and how its processes are started so that they go there. */
export interface Resolver {
  readonly mode: 'local' | 'hosts';
  readonly delayMs: number | null;
  readonly names: readonly string[];
  /** Command that every measuring process is started through. */
  readonly prefix: readonly string[];
  readonly description: string;
  readonly because: string;
  close(): Promise<void>;
}

/** This way to resolve names does not work on this machine; the message says why. */
export class DnsUnavailable extends Error {
  override readonly name = 'DnsUnavailable';
}

const RESPONDER = fileURLToPath(new URL('./responder.js', import.meta.url));
const START_DEADLINE_MS = 5000;
const NAMES = 64;

/**
 * In the namespace: bring loopback up, put both files in place (nsswitch.conf too: a machine with nss-resolve asks
 * systemd-resolved over a socket, which no network namespace hides), become the responder.
 */
const ENTER = `ip link set lo up &&
mount --bind "$1" /etc/resolv.conf &&
mount --bind "$2" /etc/nsswitch.conf &&
shift 2 && exec "$@"`;

/**
 * A resolver on loopback that answers after `delayMs`, inside a private mount and network namespace that nothing
 * outside can see. Linux, with the right to make namespaces (root, or unprivileged user namespaces).
 */
export async function openLocalResolver(delayMs: number, guardian: Guardian): Promise<Resolver> {
  if (process.platform !== 'linux') throw new DnsUnavailable('namespaces need Linux');
  const asRoot = process.getuid?.() === 0;
  const directory = guardian.temporaryDirectory();
  const resolv = join(directory, 'resolv.conf');
  const nsswitch = join(directory, 'nsswitch.conf');
  writeFileSync(resolv, 'nameserver 127.0.0.1\noptions timeout:30 attempts:1\n');
  writeFileSync(nsswitch, 'passwd: files\ngroup: files\nhosts: files dns\n');
  const command = [
    ...['unshare', ...(asRoot ? [] : ['--user', '--map-root-user']), '--mount', '--net', '--'],
    ...['sh', '-c', ENTER, 'sh', resolv, nsswitch, process.execPath, RESPONDER, String(delayMs)],
  ];
  let child: Started | undefined;
  try {
    child = await startProcess(command, {}, ['ignore', 'ignore', 'pipe', 'ipc']);
    await listening(child);
  } catch (error) {
    if (child !== undefined) await killGroup(child);
    guardian.remove(directory);
    if (error instanceof DnsUnavailable) throw error;
    throw new DnsUnavailable(`unshare cannot be started (${(error as Error).message})`);
  }
  const responder = child;
  const { pid } = child;
  guardian.watch(pid);
  return {
    mode: 'local',
    delayMs,
    names: Array.from({ length: NAMES }, (_, index) => `host-${index}.plimsoll.test`),
    prefix: [
      ...['nsenter', `--mount=/proc/${pid}/ns/mnt`, `--net=/proc/${pid}/ns/net`],
      ...(asRoot ? [] : [`--user=/proc/${pid}/ns/user`, '--preserve-credentials']),
      '--',
    ],
    description: `a resolver on loopback that answers after ${delayMs} ms, in a private namespace`,
    because: 'the first choice works',
    async close() {
      await killGroup(responder);
      guardian.forget(pid);
      guardian.remove(directory);
    },
  };
}

async function listening(child: Started): Promise<void> {
  const failed = endOf(child).then(({ code, stderr }) => {
    throw new DnsUnavailable(stderr.trim().split('\n')[0] || `unshare ended with exit code ${code}`);
  });
  const late = sleep(START_DEADLINE_MS, null, { ref: false }).then(() => {
    throw new DnsUnavailable(`the responder did not start within ${START_DEADLINE_MS} ms`);
  });
  await Promise.race([once(child, 'message'), failed, late]);
}
