import { randomInt } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import { readOptions, readValue, usage } from '@plimsoll/lab';
import type { Case } from './cases/case.js';
import { CASES } from './cases/cases.js';
import { ALL, BASELINE, CONTENDERS } from './contenders/contenders.js';
import { EFFORTS, type Effort } from './support/effort.js';

/** How much is measured, and in which order. */
export interface Amount {
  readonly effort: Effort;
  readonly blocks: number;
  readonly seed: number;
}

export interface Arguments extends Amount {
  readonly cases: readonly Case[];
  readonly node: string;
  readonly json: string | undefined;
  /** Where the page goes; `null`: no page. */
  readonly page: string | null;
}

export const BLOCKS: Record<Effort, number> = { full: 6, quick: 2, smoke: 1 };
const PAGE = 'docs/results/pool.md';

export const HELP = `npm run bench:pool [-- CASE… options]
npm run bench:pool -- shapes [options]: values of 25 shapes; has a --help of its own
npm run bench:pool -- crossover [options]: from which length of tasks a pool pays; the same

Cases (default: all): ${CASES.map(({ name }) => name).join(' ')}

  --blocks N     runs per contender (default: ${BLOCKS.full}; six are needed for intervals of 95 %)
  --quick        ${BLOCKS.quick} blocks of shorter runs: estimates, no page
  --effort E     ${EFFORTS.join(', ')}; smoke only proves that everything runs
  --json FILE    write the result as JSON; - for standard output
  --node PATH    the node that the contenders run in (default: this one)
  --page FILE    the page to write (default: ${PAGE}, of full runs); its JSON lies beside it, and
                 cases that are not run now stay on it if they were measured on the same node and machine
  --pools LIST   only these, comma-separated, and piscina: ${ALL.join(', ')}
  --seed N       seed of the order of the runs (default: random)
`;

export const AMOUNT_OPTIONS = {
  blocks: { type: 'string' },
  quick: { type: 'boolean' },
  effort: { type: 'string' },
  seed: { type: 'string' },
} as const;

const OPTIONS = {
  ...AMOUNT_OPTIONS,
  json: { type: 'string' },
  node: { type: 'string' },
  page: { type: 'string' },
  pools: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** @throws {PlimsollError} PLIMSOLL_USAGE. @returns `null` when only help was asked for. */
export function readArguments(args: readonly string[]): Arguments | null {
  const { values, positionals } = readOptions(args, OPTIONS, true);
  if (values.help) return null;
  const amount = readAmount(values);
  return {
    ...amount,
    cases: choosePools(chooseCases(positionals), values.pools),
    node: executable(values.node ?? process.execPath),
    json: values.json,
    page: values.page ?? (amount.effort === 'full' && values.pools === undefined ? PAGE : null),
  };
}

interface AmountValues {
  readonly blocks?: string | undefined;
  readonly quick?: boolean | undefined;
  readonly effort?: string | undefined;
  readonly seed?: string | undefined;
}

export function readAmount({ blocks, quick, effort: named = 'full', seed }: AmountValues): Amount {
  const effort = quick ? 'quick' : (named as Effort);
  if (!EFFORTS.includes(effort)) throw usage(`--effort: must be ${EFFORTS.join(', ')}, not ${effort}`);
  return {
    effort,
    blocks: wholeNumber(blocks, '--blocks', 1, 100) ?? BLOCKS[effort],
    seed: wholeNumber(seed, '--seed', 0, 2 ** 31 - 1) ?? randomInt(2 ** 31),
  };
}

function chooseCases(names: readonly string[]): readonly Case[] {
  const unknown = names.find((name) => !CASES.some((candidate) => candidate.name === name));
  if (unknown !== undefined)
    throw usage(
      `there is no case ${JSON.stringify(unknown)}; there are ${CASES.map(({ name }) => name).join(', ')}`,
    );
  return names.length === 0 ? CASES : CASES.filter(({ name }) => names.includes(name));
}

export function choosePools(cases: readonly Case[], list: string | undefined): readonly Case[] {
  if (list === undefined) return cases;
  const names = list.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !Object.hasOwn(CONTENDERS, name));
  if (unknown !== undefined)
    throw usage(`--pools: there is no pool ${JSON.stringify(unknown)}; there are ${ALL.join(', ')}`);
  return cases
    .map((one) => ({
      ...one,
      contenders: one.contenders.filter((name) => name === BASELINE || names.includes(name)),
    }))
    .filter(({ contenders }) => contenders.length > 0);
}

function executable(path: string): string {
  try {
    accessSync(path, constants.X_OK);
    return path;
  } catch {
    throw usage(`--node: ${path} is not a program that can be run`);
  }
}

const wholeNumber = (
  text: string | undefined,
  name: string,
  least: number,
  most: number,
): number | undefined =>
  text === undefined ? undefined : Number(readValue({ kind: 'count', least, most }, [text], name));
