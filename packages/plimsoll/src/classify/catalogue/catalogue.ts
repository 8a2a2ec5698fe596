import { usage } from '../../errors.js';
import { cryptoEntries, zlibEntries } from './computation.js';
import type { Entry } from './entry.js';
import { fsEntries } from './fs.js';
import { dnsEntries, networkEntries } from './network.js';
import { otherEntries } from './other.js';

const ENTRIES = [fsEntries, dnsEntries, cryptoEntries, zlibEntries, networkEntries, otherEntries].flat();

export const catalogue: readonly Entry[] = ENTRIES.filter(({ available }) => available !== false);

/** The entries that a user means: the one with this name, or all whose name begins with it and a dot. */
export function entriesNamed(name: string): readonly Entry[] {
  const wanted = name.toLowerCase();
  const matching = (matches: (entry: string) => boolean): Entry[] =>
    catalogue.filter((entry) => matches(entry.name.toLowerCase()));
  const exact = matching((entry) => entry === wanted);
  if (exact.length > 0) return exact;
  const members = matching((entry) => entry.startsWith(`${wanted}.`));
  if (members.length > 0) return members;
  if (ENTRIES.some((entry) => entry.name === name))
    throw usage(`Node ${process.versions.node} does not have ${name}`);
  const similar = name === '' ? [] : matching((entry) => entry.includes(wanted));
  const hint =
    similar.length > 0
      ? `did you mean ${similar.map((entry) => entry.name).join(', ')}?`
      : `the catalogue has ${[...new Set(catalogue.map((entry) => entry.name.split('.')[0]))].join(', ')}`;
  throw usage(`unknown API ${JSON.stringify(name)}; ${hint}; for a function of yours, write PATH#export`);
}
