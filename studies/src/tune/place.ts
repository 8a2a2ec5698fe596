import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { usage } from '@plimsoll/lab';
import type { LifeCycle } from '../common/command.js';
import type { CommandProgram, Program, Slowness } from './catalogue.js';
import { makeInputs } from './inputs.js';

/** Where a program runs: its command line, and what goes when it is no longer needed. */
export interface Place {
  readonly command: readonly [string, ...string[]];
  close(): Promise<void>;
}

const RESOLVER = fileURLToPath(new URL('./child/slow-resolver.js', import.meta.url));
/** No other name server of this machine is there. */
const RESOLVER_ADDRESS = '127.0.0.77';
/** In a mount namespace of its own: name servers and their order, and then the program. */
const ENTER =
  'mount --bind "$1" /etc/resolv.conf && mount --bind "$2" /etc/nsswitch.conf && shift 2 && exec "$@"';

/**
 * Make a program ready to be started.
 *
 * @param directory where the programs and their packages are.
 * @param cache of inputs that are generated once.
 * @throws {PlimsollError} PLIMSOLL_USAGE where strace is needed and missing.
 */
export async function openPlace(
  program: Program,
  directory: string,
  cache: string,
  cycle: LifeCycle,
): Promise<Place> {
  const scratch = join(cycle.guardian.temporaryDirectory(), 'files');
  mkdirSync(scratch);
  const settings = { inputs: makeInputs(program.input, cache), scratch, count: unitsOf(program) };
  const node = [process.execPath, join(directory, `${fileOf(program.name)}.mjs`)];
  const { prefix, close } = await slowed(program.slow, cycle);
  const [file = '', ...words] = [...prefix, ...node, JSON.stringify(settings)];
  return { command: [file, ...words], close };
}

/** Two programs may be one file at different disks. */
export const fileOf = (name: string): string => name.replace(/-slow$/, '');

const unitsOf = (program: Program): number =>
  program.kind === 'command' ? (program as CommandProgram).units : 0;

interface Slowed {
  readonly prefix: readonly string[];
  close(): Promise<void>;
}

async function slowed(slow: Slowness | undefined, cycle: LifeCycle): Promise<Slowed> {
  if (slow === undefined) return { prefix: [], close: async () => {} };
  return slow.kind === 'lookups' ? slowLookups(slow.delayMs, cycle) : slowCalls(slow);
}

/** strace stops a thread only at the calls that it delays; a delayed thread waits without CPU, as for a disk. */
function slowCalls({ calls, delayMs }: Extract<Slowness, { kind: 'system calls' }>): Slowed {
  if (spawnSync('strace', ['--version']).status !== 0)
    throw usage('slow disks are made with strace: apt-get install strace');
  const names = calls.join(',');
  const prefix = ['strace', '--follow-forks', '--seccomp-bpf', '--quiet=all', '--output=/dev/null'];
  return {
    prefix: [...prefix, `--trace=${names}`, `--inject=${names}:delay_exit=${delayMs * 1000}`],
    close: async () => {},
  };
}

async function slowLookups(delayMs: number, { guardian }: LifeCycle): Promise<Slowed> {
  const directory = guardian.temporaryDirectory();
  const [resolv, nsswitch] = [join(directory, 'resolv.conf'), join(directory, 'nsswitch.conf')];
  writeFileSync(resolv, `nameserver ${RESOLVER_ADDRESS}\noptions timeout:30 attempts:1\n`);
  writeFileSync(nsswitch, 'passwd: files\ngroup: files\nhosts: files dns\n');
  const resolver = spawn(process.execPath, [RESOLVER, RESOLVER_ADDRESS, String(delayMs)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    detached: true,
  });
  const listening = await Promise.race([once(resolver, 'message'), once(resolver, 'exit').then(() => null)]);
  if (listening === null)
    throw usage('slow lookups need the right to listen on port 53 of loopback: run as root');
  guardian.watch(resolver.pid as number);
  return {
    prefix: ['unshare', '--mount', '--', 'sh', '-c', ENTER, 'sh', resolv, nsswitch],
    async close() {
      const ended = once(resolver, 'exit');
      resolver.disconnect();
      await ended;
      guardian.forget(resolver.pid as number);
    },
  };
}
