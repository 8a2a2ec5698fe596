import { readOptions, usage } from '@plimsoll/lab';
import { CONTENDERS, type ContenderName } from './contenders.js';
import type { Selection } from './matrix.js';

export interface Arguments extends Selection {
  readonly json: string | undefined;
  readonly write: boolean;
  readonly keep: boolean;
}

const NAMES = CONTENDERS.map(({ name }) => name);

export const HELP = `npm run test:setups [-- FILTER… options]

Only set-ups whose "group · name" contains a FILTER; default: all.

  --only LIST    these contenders, comma-separated: ${NAMES.join(', ')}
  --fast         what npm test runs: the set-ups that need nothing installed
  --json FILE    write the result as JSON; - for standard output
  --write        write docs/results/setups.md and its JSON, the expectation of later runs; rows that are not run stay
  --keep         keep the projects of cells that fail
`;

const OPTIONS = {
  only: { type: 'string' },
  fast: { type: 'boolean' },
  json: { type: 'string' },
  write: { type: 'boolean' },
  keep: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** @throws {PlimsollError} PLIMSOLL_USAGE. @returns `null` when only help was asked for. */
export function readArguments(args: readonly string[]): Arguments | null {
  const { values, positionals } = readOptions(args, OPTIONS, true);
  if (values.help) return null;
  return {
    filters: positionals,
    only: values.only === undefined ? null : values.only.split(',').map(contender),
    fast: values.fast ?? false,
    json: values.json,
    write: values.write ?? false,
    keep: values.keep ?? false,
  };
}

function contender(text: string): ContenderName {
  const name = NAMES.find((one) => one === text.trim());
  if (name === undefined)
    throw usage(`--only: there is no contender ${JSON.stringify(text)}; there are ${NAMES.join(', ')}`);
  return name;
}
