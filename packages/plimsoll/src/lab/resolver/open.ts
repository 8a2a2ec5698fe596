import { PlimsollError } from '../../errors.js';
import type { Guardian } from '../guardian.js';
import { openLocalResolver } from './local.js';
import { DnsUnavailable, type Resolver } from './resolver.js';
import { openSystemResolver } from './system.js';

/** `auto`, `system`, `hosts`, or a local resolver with its delay. */
export type DnsMode =
  | { readonly mode: 'auto' | 'system' | 'hosts' }
  | { readonly mode: 'local'; readonly delayMs: number };

export const DEFAULT_DELAY_MS = 10;

/** The resolver that was opened, and why not one before it in the order. */
export interface ChosenResolver extends Resolver {
  readonly because: string;
}

/**
 * Open the resolver that was asked for. `auto` takes the first that works: the system's, a local one with a delay
 * of 10 ms, `localhost` from the hosts file.
 *
 * @throws {PlimsollError} PLIMSOLL_DNS_UNAVAILABLE when the one asked for does not work here.
 */
export async function openResolver(asked: DnsMode, guardian: Guardian): Promise<ChosenResolver> {
  if (asked.mode !== 'auto') return { ...(await openOne(asked, guardian)), because: 'asked for by --dns' };
  const reasons: string[] = [];
  for (const open of [openSystemResolver, () => openLocalResolver(DEFAULT_DELAY_MS, guardian)]) {
    try {
      return { ...(await open()), because: because(reasons) };
    } catch (error) {
      if (!(error instanceof DnsUnavailable)) throw error;
      reasons.push(error.message);
    }
  }
  return { ...hostsResolver, because: because(reasons) };
}

const because = (reasons: readonly string[]): string =>
  reasons.length === 0 ? 'the first choice works' : reasons.join('; ');

async function openOne(asked: Exclude<DnsMode, { mode: 'auto' }>, guardian: Guardian): Promise<Resolver> {
  try {
    if (asked.mode === 'system') return await openSystemResolver();
    if (asked.mode === 'local') return await openLocalResolver(asked.delayMs, guardian);
    return hostsResolver;
  } catch (error) {
    if (!(error instanceof DnsUnavailable)) throw error;
    throw new PlimsollError(
      'PLIMSOLL_DNS_UNAVAILABLE',
      `--dns ${asked.mode} does not work here: ${error.message}; ` +
        `use --dns ${asked.mode === 'local' ? 'hosts' : 'local or --dns hosts'}`,
    );
  }
}

const hostsResolver: Resolver = {
  mode: 'hosts',
  delayMs: null,
  names: ['localhost'],
  prefix: [],
  description: 'localhost only, from the hosts file: nothing waits for a network',
  close: async () => {},
};
