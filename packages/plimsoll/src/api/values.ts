import { usage } from '../errors.js';
import { cpuCount } from '../host/cpu.js';
import { clampPoolSize, DEFAULT_POOL_SIZE, LARGEST_POOL_SIZE } from '../libuv/pool-size.js';
import type { Option, Options } from './option.js';
import { type CheckedOptions, COMMANDS, type CommandName, type OptionsOf } from './options.js';

type Bounds = Pick<Option, 'kind' | 'least' | 'most' | 'choices'>;

interface Rule {
  /** What cannot be read becomes a value that is not right. */
  readonly read?: (text: string) => unknown;
  is(value: unknown, option: Required<Bounds>): boolean;
  must(option: Required<Bounds>): string;
}

const wholeNumber = (text: string): number => (/^\d+$/.test(text) ? Number(text) : Number.NaN);
const anyNumber = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text));
const isWhole = (value: unknown, least: number, most: number): boolean =>
  Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
const isThere = (value: unknown): boolean => value !== undefined;

const RULES: { readonly [Kind in Option['kind']]?: Rule } = {
  size: {
    read: (text) => namedSizes().get(text.trim()) ?? wholeNumber(text.trim()),
    is: (value) => isWhole(value, 1, LARGEST_POOL_SIZE),
    must: () => `a pool size is default, double, cpus or a whole number from 1 to ${LARGEST_POOL_SIZE}`,
  },
  count: {
    read: (text) => wholeNumber(text.trim()),
    is: (value, { least, most }) => isWhole(value, least, most),
    must: ({ least, most }) => `must be a whole number from ${least} to ${most}`,
  },
  number: {
    read: anyNumber,
    is: (value, { most }) => Number(value) > 0 && Number(value) <= most,
    must: ({ most }) => `must be a number above 0${most === Number.MAX_VALUE ? '' : ` and at most ${most}`}`,
  },
  seconds: {
    read: (text) => anyNumber(text) * 1000,
    is: (value, { least, most }) => Number(value) > 0 && isWithin(Number(value) / 1000, least, most),
    must: ({ least, most }) =>
      `must be ${least === 0 ? 'above 0' : `at least ${least}`} and at most ${most} seconds`,
  },
  choice: {
    read: (text) => text.trim(),
    is: (value, { choices }) => choices.includes(String(value)),
    must: ({ choices }) => `must be ${choices.join(', ')}`,
  },
  process: {
    read: (text) => (/^\d+$/.test(text) ? Number(text) : text),
    is: isThere,
    must: () => 'a PID or a text',
  },
  args: { read: readArgs, is: Array.isArray, must: () => `must be a JSON array, such as '["secret", 10]'` },
};

const isWithin = (value: number, least: number, most: number): boolean => value >= least && value <= most;

const ITEMS: { readonly [Kind in Option['kind']]?: Option['kind'] } = { sizes: 'size', counts: 'count' };

const namedSizes = (): Map<string, number> =>
  new Map([
    ['default', DEFAULT_POOL_SIZE],
    ['double', 2 * DEFAULT_POOL_SIZE],
    ['cpus', clampPoolSize(cpuCount())],
  ]);

export const ascending = (values: readonly number[]): number[] => [...new Set(values)].sort((a, b) => a - b);

/** The sizes that are tried by default: one thread, those that suit the cores, and those that suit waiting. */
export const usualSizes = (cores = cpuCount()): number[] =>
  ascending([1, 2, cores, 2 * cores, 4 * cores, 16, 64].map(clampPoolSize));

/** @param shown the value as it was given. @returns of a list no repetitions, sizes in ascending order. */
export function checkValue(option: Bounds, value: unknown, name: string, shown?: string): unknown {
  const item = ITEMS[option.kind];
  if (item !== undefined) {
    const values = (value as readonly number[]).map((one) =>
      checkValue({ ...option, kind: item }, one, name),
    );
    if (values.length === 0) throw usage(`${name}: needs at least one value`);
    return item === 'size' ? ascending(values as number[]) : [...new Set(values)];
  }
  const bounds = { least: 0, most: Number.MAX_VALUE, choices: [], ...option };
  const rule = RULES[option.kind];
  if (rule === undefined || rule.is(value, bounds)) return value;
  throw usage(`${name}: ${rule.must(bounds)}, not ${shown ?? shownValue(value)}`);
}

const shownValue = (value: unknown): string =>
  typeof value === 'number' ? String(value) : String(JSON.stringify(value));

/** What somebody typed, of a repeatable option all of it. @throws {PlimsollError} PLIMSOLL_USAGE */
export function readValue(option: Bounds, texts: readonly string[], name: string): unknown {
  if (option.kind === 'texts') return texts;
  if (option.kind === 'parameters') return readAssignments(texts, name);
  const text = texts.at(-1) ?? '';
  const item = ITEMS[option.kind];
  if (item !== undefined) {
    const values = text.split(',').map((one) => readValue({ ...option, kind: item }, [one], name));
    return checkValue(option, values, name);
  }
  const read = RULES[option.kind]?.read;
  return checkValue(option, read === undefined ? text : read(text), name, JSON.stringify(text));
}

const isGiven = (value: unknown): boolean =>
  isThere(value) && value !== null && value !== false && !(Array.isArray(value) && value.length === 0);

/**
 * Options that need, or exclude, one another.
 *
 * @param options those that could be given; what needs another one is free where there is none.
 * @param nameOf the name of an option as its caller knows it.
 */
export function checkTogether(
  options: Options,
  given: Readonly<Record<string, unknown>>,
  nameOf: (key: string) => string,
): void {
  const isThis = (key: string): boolean => isGiven(given[key]);
  for (const [key, option] of Object.entries(options).filter(([name]) => isThis(name))) {
    const excluded = option.without?.find(isThis);
    if (excluded !== undefined)
      throw usage(`${nameOf(key)} and ${nameOf(excluded)}: use one of the two, not both`);
    if (option.with !== undefined && option.with in options && !isThis(option.with))
      throw usage(`${nameOf(key)} needs ${nameOf(option.with)}, which is missing`);
  }
}

export function checkOptions<Name extends CommandName>(
  command: Name,
  given: OptionsOf<Name>,
): CheckedOptions<Name> {
  const rows = Object.entries(COMMANDS[command].options as Options).filter(([, { cli }]) => !cli);
  const values = given as Readonly<Record<string, unknown>>;
  const checked = rows.map(([key, option]) => {
    const value = values[key] ?? option.default;
    return [key, isThere(value) ? checkValue(option, value, key) : undefined];
  });
  checkTogether(Object.fromEntries(rows), values, (key) => key);
  return Object.fromEntries(checked) as CheckedOptions<Name>;
}

function readAssignments(texts: readonly string[], name: string): Record<string, Record<string, string>> {
  const assignments: Record<string, Record<string, string>> = {};
  for (const text of texts) {
    const [, workload = '', parameter = '', value] = /^([^.=]+)\.([^.=]+)=(.*)$/.exec(text) ?? [];
    if (value === undefined)
      throw usage(
        `${name}: must be WORKLOAD.PARAMETER=VALUE, such as crypto.iterations=10000, not ${JSON.stringify(text)}`,
      );
    assignments[workload] = { ...assignments[workload], [parameter]: value };
  }
  return assignments;
}

function readArgs(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
