import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Guardian } from '../guardian.js';
import { endOf, killGroup, type Started, startProcess } from '../process.js';

/** Where lookups go in an experiment, and how its processes are started so that lookups go there. */
export interface Resolver {
  readonly mode: 'local' | 'hosts';
  readonly delayMs: number | null;
  readonly names: readonly string[];
  /** Every measuring process is started through this command. */
  readonly prefix: readonly string[];
  readonly description: string;
  readonly because: string;
  close(): Promise<void>;
}

/** Names cannot be resolved in this way here; the message says why. */
class DnsUnavailable extends Error {
  override readonly name = 'DnsUnavailable';
}

const DELAY_MS = 10;
const RESPONDER = fileURLToPath(new URL('./responder.js', import.meta.url));
const START_DEADLINE_MS = 30_000;
const NAMES = 64;

/** A local resolver with a delay; where namespaces cannot be had, `localhost` from the hosts file. */
export async function openResolver(guardian: Guardian, delayMs = DELAY_MS): Promise<Resolver> {
  try {
    return await openLocalResolver(delayMs, guardian);
  } catch (error) {
    if (!(error instanceof DnsUnavailable)) throw error;
    return {
      ...{ mode: 'hosts', delayMs: null, names: ['localhost'], prefix: [], because: error.message },
      description: 'localhost only, from the hosts file: no lookup waits for a network',
      close: async () => {},
    };
  }
}

/** Binds both files: nss-resolve of nsswitch.conf asks systemd-resolved over a socket, which no network namespace hides. */
const ENTER = `ip link set lo up &&
mount --bind "$1" /etc/resolv.conf &&
mount --bind "$2" /etc/nsswitch.conf &&
shift 2 && exec "$@"`;

/** In a private mount and network namespace, which needs Linux and the right to create one (root, or user namespaces). */
export async function openLocalResolver(delayMs: number, guardian: Guardian): Promise<Resolver> {
  if (process.platform !== 'linux') throw new DnsUnavailable('namespaces need Linux');
  const asRoot = process.getuid?.() === 0;
  const directory = guardian.temporaryDirectory();
  const [resolv, nsswitch] = [join(directory, 'resolv.conf'), join(directory, 'nsswitch.conf')];
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
    ...{ mode: 'local', delayMs, because: 'the first choice works' },
    names: Array.from({ length: NAMES }, (_, index) => `host-${index}.plimsoll.test`),
    prefix: [
      ...['nsenter', `--mount=/proc/${pid}/ns/mnt`, `--net=/proc/${pid}/ns/net`],
      ...(asRoot ? [] : [`--user=/proc/${pid}/ns/user`, '--preserve-credentials']),
      '--',
    ],
    description: `a resolver on loopback that answers after ${delayMs} ms, in a private namespace`,
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
