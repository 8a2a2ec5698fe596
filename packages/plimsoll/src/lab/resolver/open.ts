import type { Guardian } from '../guardian.js';
import { DnsUnavailable, openLocalResolver, type Resolver } from './local.js';

const DELAY_MS = 10;

const hosts = (because: string): Resolver => ({
  ...{ mode: 'hosts', delayMs: null, names: ['localhost'], prefix: [], because },
  description: 'localhost only, from the hosts file: nothing waits for a network',
  close: async () => {},
});

/** Where lookups take their time: a local resolver; where namespaces cannot be had, `localhost` from the hosts file. */
export async function openResolver(guardian: Guardian, delayMs = DELAY_MS): Promise<Resolver> {
  try {
    return await openLocalResolver(delayMs, guardian);
  } catch (error) {
    if (!(error instanceof DnsUnavailable)) throw error;
    return hosts(error.message);
  }
}
