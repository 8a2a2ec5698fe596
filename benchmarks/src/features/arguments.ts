import { readOptions, usage } from '@plimsoll/lab';
import type { Cell } from './check.js';
import { FEATURES } from './features.js';
import { POOL_NAMES } from './pools/pools.js';

export interface Arguments {
  readonly cells: readonly Cell[];
  readonly write: boolean;
}

export const HELP = `npm run check:features [-- FEATURE… --pools LIST --write]

Tries every feature in every pool and compares the answers with docs/results/pool-features.json.

  FEATURE        only these: ${FEATURES.map(({ id }) => id).join(' ')}
  --pools LIST   only these, comma-separated: ${POOL_NAMES.join(', ')}
  --write        write the answers instead: docs/results/pool-features.json and .md, and the table of packages/pool/README.md
`;

const OPTIONS = {
  pools: { type: 'string' },
  write: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** @throws {PlimsollError} PLIMSOLL_USAGE. @returns `null` when only help was asked for. */
export function readArguments(args: readonly string[]): Arguments | null {
  const { values, positionals } = readOptions(args, OPTIONS, true);
  if (values.help) return null;
  const features = choose(
    FEATURES.map(({ id }) => id),
    positionals,
    'feature',
  );
  const pools = choose(POOL_NAMES, values.pools?.split(',') ?? [], 'pool');
  const isAll = positionals.length === 0 && values.pools === undefined;
  if (values.write && !isAll)
    throw usage('--write: the page is written as a whole, so nothing can be left out');
  return {
    cells: features.flatMap((feature) => pools.map((pool) => ({ pool, feature }))),
    write: values.write ?? false,
  };
}

function choose<Name extends string>(all: readonly Name[], wanted: readonly string[], what: string): Name[] {
  for (const name of wanted) {
    if (!all.some((one) => one === name)) {
      throw usage(`there is no ${what} ${name}; there are ${all.join(', ')}`);
    }
  }
  return all.filter((name) => wanted.length === 0 || wanted.includes(name));
}
