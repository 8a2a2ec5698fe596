import { usage } from '../../errors.js';
import { cryptoEntries } from './crypto.js';
import { dnsEntries } from './dns.js';
import type { Entry } from './entry.js';
import { fsEntries } from './fs.js';
import { networkEntries } from './network.js';
import { otherEntries } from './other.js';
import { zlibEntries } from './zlib.js';

const ENTRIES: readonly Entry[] = [
  ...fsEntries,
  ...dnsEntries,
  ...cryptoEntries,
  ...zlibEntries,
  ...networkEntries,
  ...otherEntries,
];

export const catalogue: readonly Entry[] = ENTRIES.filter((entry) => entry.available?.() ?? true);

/** The entries that a user means by a name: the one with that name, or all whose name begins with it and a dot. */
export function entriesNamed(name: string): readonly Entry[] {
  const wanted = name.toLowerCase();
  const named = (matches: (entry: string) => boolean): Entry[] =>
    catalogue.filter((entry) => matches(entry.name.toLowerCase()));
  const exact = named((entry) => entry === wanted);
  const matching = exact.length > 0 ? exact : named((entry) => entry.startsWith(`${wanted}.`));
  if (matching.length > 0) return matching;
  if (ENTRIES.some((entry) => entry.name === name))
    throw usage(`${name} is not in Node ${process.versions.node}`);
  const similar = name === '' ? [] : named((entry) => entry.includes(wanted));
  const known =
    similar.length > 0
      ? `did you mean ${similar.map((entry) => entry.name).join(', ')}?`
      : `the catalogue has ${[...new Set(catalogue.map((entry) => entry.name.split('.')[0]))].join(', ')}`;
  throw usage(`unknown API ${JSON.stringify(name)}; ${known}; a function of yours is PATH#export`);
}
