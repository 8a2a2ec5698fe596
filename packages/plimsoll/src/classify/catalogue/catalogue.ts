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

/** Every API of the catalogue that this version of Node has. */
export const catalogue: readonly Entry[] = ENTRIES.filter((entry) => entry.available?.() ?? true);

/** The names of the others. */
export const missingNames: readonly string[] = ENTRIES.filter((entry) => !catalogue.includes(entry)).map(
  ({ name }) => name,
);

/** The entries that a user means by a name: the one with that name, or all whose name begins with it and a dot. */
export function entriesNamed(name: string): readonly Entry[] {
  const wanted = name.toLowerCase();
  const is = (entry: Entry): boolean => entry.name.toLowerCase() === wanted;
  const under = (entry: Entry): boolean => entry.name.toLowerCase().startsWith(`${wanted}.`);
  const exact = catalogue.filter(is);
  return exact.length > 0 ? exact : catalogue.filter(under);
}
