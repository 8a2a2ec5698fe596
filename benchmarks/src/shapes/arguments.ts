import { readOptions, usage } from '@plimsoll/lab';
import { AMOUNT_OPTIONS, type Amount, BLOCKS, choosePools, readAmount } from '../arguments.js';
import type { Case } from '../cases/case.js';
import { RIVALS, SHAPE_CASES } from './case.js';
import { MEMORY_CASE } from './memory.js';
import { SHAPES } from './shapes.js';

export interface Arguments extends Amount {
  readonly cases: readonly Case[];
  /** The nodes that the contenders run in. */
  readonly nodes: readonly string[];
  /** Where the page goes; `null`: no page. */
  readonly page: string | null;
  /** Measure nothing, and write the table of the pool's README out of the page's JSON. */
  readonly readme: boolean;
}

export const RESULT = 'docs/results/pool-shapes';
const MEMORY = 'memory';
const NAMES = [...SHAPES.map(({ name }) => name), MEMORY];

export const HELP = `npm run bench:pool -- shapes [options]

Values of ${SHAPES.length} shapes, in and out, one and many in flight, beside ${RIVALS.slice(1).join(', ')}; and what memory is
held after large ones. About 25 minutes for each line of Node.

  --only LIST    some shapes, comma-separated: ${NAMES.join(', ')}
  --nodes LIST   lines of Node, comma-separated (default: all that are supported; with --quick the one that
                 runs this); binaries come from npm
  --blocks N     rounds of each contender (default: ${BLOCKS.full}; six are needed for intervals of 95 %)
  --quick        ${BLOCKS.quick} shorter rounds: proves in two minutes that everything runs, no page
  --effort E     full, quick, smoke
  --page FILE    the page to write (default: ${RESULT}.md, of full runs); its JSON lies beside it, and what is not
                 measured now stays on it if it was measured on the same machine with the same code
  --pools LIST   only these, comma-separated, and piscina: ${RIVALS.join(', ')}
  --seed N       seed of the order of the rounds (default: random)
  --readme       measure nothing: write the page again, and the table of packages/pool/README.md, out of the JSON
`;

const OPTIONS = {
  ...AMOUNT_OPTIONS,
  only: { type: 'string' },
  nodes: { type: 'string' },
  page: { type: 'string' },
  pools: { type: 'string' },
  readme: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

interface NodeLines {
  readonly LINES: readonly number[];
  readonly OWN_LINE: number;
  nodeOfLine(line: number): string;
}

/** @throws {PlimsollError} PLIMSOLL_USAGE. @returns `null` when only help was asked for. */
export async function readArguments(args: readonly string[]): Promise<Arguments | null> {
  const { values } = readOptions(args, OPTIONS);
  if (values.help) return null;
  const amount = readAmount(values);
  const isWhole = amount.effort === 'full' && values.pools === undefined;
  return {
    ...amount,
    cases: choosePools(chooseCases(values.only), values.pools),
    nodes: values.readme ? [] : await chooseNodes(values.nodes, amount.effort === 'full'),
    page: values.page ?? (isWhole || values.readme ? `${RESULT}.md` : null),
    readme: values.readme ?? false,
  };
}

const namesIn = (list: string): string[] => list.split(',').map((name) => name.trim());

function chooseCases(list: string | undefined): readonly Case[] {
  const all = [...SHAPE_CASES, MEMORY_CASE];
  if (list === undefined) return all;
  const names = namesIn(list);
  const unknown = names.find((name) => !NAMES.includes(name));
  if (unknown !== undefined)
    throw usage(`--only: there is no ${JSON.stringify(unknown)}; there are ${NAMES.join(', ')}`);
  return all.filter((_, index) => names.includes(NAMES[index] as string));
}

async function chooseNodes(list: string | undefined, isFull: boolean): Promise<readonly string[]> {
  const scripts = new URL('../../../scripts/node-lines.mjs', import.meta.url);
  const { LINES, OWN_LINE, nodeOfLine } = (await import(scripts.href)) as NodeLines;
  const lines = list === undefined ? (isFull ? LINES : [OWN_LINE]) : namesIn(list).map(Number);
  const unknown = lines.find((line) => !LINES.includes(line));
  if (unknown !== undefined) throw usage(`--nodes: must be some of ${LINES.join(', ')}, not ${list}`);
  return lines.map(nodeOfLine);
}
