import { PlimsollError } from '../../errors.js';
import type { Guardian } from '../guardian.js';
import { openLocalResolver } from './local.js';
import { DnsUnavailable, type Resolver } from './resolver.js';
import { openSystemResolver } from './system.js';

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
  if (asked.mode !== 'auto') return { ...(await openOne(asked, guardian)), requested: true, refused: [] };
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

async function openOne(asked: Exclude<DnsMode, { mode: 'auto' }>, guardian: Guardian): Promise<Resolver> {
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

const hostsResolver: Resolver = {
  mode: 'hosts',
  delayMs: null,
  names: ['localhost'],
  prefix: [],
  description: 'localhost only, from the hosts file: nothing waits for a network',
  close: async () => {},
};
