import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { PlimsollError } from '../../errors.js';
import type { Guardian } from '../guardian.js';
import { DnsUnavailable, openLocalResolver, type Resolver } from './local.js';

/** `auto`, `system`, `hosts`, or a local resolver with its delay. */
export type DnsMode =
  | { readonly mode: 'auto' | 'system' | 'hosts' }
  | { readonly mode: 'local'; readonly delayMs?: number };

const DEFAULT_DELAY_MS = 10;

/** The resolver that was opened, and why it is this one. */
export interface ChosenResolver extends Resolver {
  /** It was asked for; else it is the first that works. */
  readonly requested: boolean;
  /** Why those before it in the order do not work here. */
  readonly refused: readonly string[];
}

/**
 * Open the resolver that was asked for. `auto` takes the first that works: the system's, a local one with a delay
 * of 10 ms, `localhost` from the hosts file.
 *
 * @throws {PlimsollError} PLIMSOLL_DNS_UNAVAILABLE when the one asked for does not work here.
 */
export async function openResolver(asked: DnsMode, guardian: Guardian): Promise<ChosenResolver> {
  if (asked.mode !== 'auto') return { ...(await openAsked(asked, guardian)), requested: true, refused: [] };
  const refused: string[] = [];
  for (const open of [openSystemResolver, () => openLocalResolver(DEFAULT_DELAY_MS, guardian)]) {
    try {
      return { ...(await open()), requested: false, refused };
    } catch (error) {
      if (!(error instanceof DnsUnavailable)) throw error;
      refused.push(error.message);
    }
  }
  return { ...hostsResolver, requested: false, refused };
}

async function openAsked(asked: Exclude<DnsMode, { mode: 'auto' }>, guardian: Guardian): Promise<Resolver> {
  try {
    if (asked.mode === 'system') return await openSystemResolver();
    if (asked.mode === 'local') return await openLocalResolver(asked.delayMs ?? DEFAULT_DELAY_MS, guardian);
    return hostsResolver;
  } catch (error) {
    if (!(error instanceof DnsUnavailable)) throw error;
    throw new PlimsollError(
      'PLIMSOLL_DNS_UNAVAILABLE',
      `dns: ${asked.mode} does not work here: ${error.message}; use ${asked.mode === 'local' ? 'hosts' : 'local or hosts'}`,
    );
  }
}

const outside = { delayMs: null, prefix: [], close: async () => {} };

const hostsResolver: Resolver = {
  ...outside,
  mode: 'hosts',
  names: ['localhost'],
  description: 'localhost only, from the hosts file: nothing waits for a network',
};

/** Popular names, each served from many places. */
const NAMES = [
  ...['google.com', 'github.com', 'nodejs.org', 'wikipedia.org', 'cloudflare.com', 'mozilla.org'],
  ...['debian.org', 'python.org', 'microsoft.com', 'apple.com'],
];
const DEADLINE_MS = 4000;
/** Prints which names resolve, and why others do not. A process of its own: it may hang. */
const PROBE = `const names = process.argv.slice(1);
Promise.allSettled(names.map((name) => require('node:dns').promises.lookup(name))).then((outcomes) => {
  const resolved = names.filter((_, index) => outcomes[index].status === 'fulfilled');
  const code = outcomes.find(({ status }) => status === 'rejected')?.reason.code ?? null;
  console.log(JSON.stringify({ resolved, code }));
});`;

/** The machine's own resolver and public names. */
async function openSystemResolver(): Promise<Resolver> {
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', PROBE, ...NAMES], {
    timeout: DEADLINE_MS,
    killSignal: 'SIGKILL',
  }).catch(() => ({ stdout: '{"resolved":[],"code":null}' }));
  const { resolved, code } = JSON.parse(stdout) as { resolved: string[]; code: string | null };
  if (resolved.length === 0)
    throw new DnsUnavailable(
      code === null
        ? `the system's resolver did not answer within ${DEADLINE_MS / 1000} s`
        : `none of ${NAMES.length} public names resolves here (${code})`,
    );
  const description = `the system's resolver, ${resolved.length} public names`;
  return { ...outside, mode: 'system', names: resolved, description };
}
