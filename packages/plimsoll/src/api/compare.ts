import { readFileSync } from 'node:fs';
import { type Comparable, compare as compareResults } from '../compare/compare.js';
import { usage } from '../errors.js';
import { comparison } from '../report/findings/compare.js';
import { benchSchema } from '../results/bench.js';
import type { Comparison } from '../results/comparison.js';
import { loadSchema } from '../results/load.js';

export type { Comparable } from '../compare/compare.js';

/**
 * Compare two results of `plimsoll bench` or of `plimsoll load`, each a path of its JSON or the result itself: is the new one
 * slower, size by size?
 *
 * @throws {PlimsollError} PLIMSOLL_USAGE for a file that cannot be read or is no such result, or two of different kinds.
 * @example
 * const { verdict, rows } = compare('main.json', 'branch.json');
 * if (verdict !== 'same' && verdict !== 'better') console.log(rows);
 */
export const compare = (old: string | Comparable, now: string | Comparable): Comparison =>
  comparison(compareResults(resultOf(old), resultOf(now)));

const resultOf = (source: string | Comparable): Comparable =>
  typeof source === 'string' ? read(source) : source;

const SCHEMAS = { bench: benchSchema, load: loadSchema } as const;

function read(file: string): Comparable {
  const document = parse(file) as { schema?: unknown; kind?: unknown } | null;
  const kind = document?.kind;
  if (document?.schema !== 'plimsoll/1')
    throw usage(
      `${file} is no result of plimsoll; give what plimsoll bench or plimsoll load wrote with --json`,
    );
  if (kind !== 'bench' && kind !== 'load')
    throw usage(
      `${file} is a result of kind ${JSON.stringify(String(kind).slice(0, 40))}; results of bench and of load can be compared`,
    );
  const result = SCHEMAS[kind].safeParse(document);
  if (result.success) return result.data;
  const { path, message } = result.error.issues[0] ?? { path: [], message: '' };
  throw usage(
    `${file} is damaged or of another version of plimsoll ${kind} (${path.join('.')}: ${message}); measure it again`,
  );
}

function parse(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw usage(`cannot read ${file} (${(error as NodeJS.ErrnoException).code})`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw usage(text.trim() === '' ? `${file} is empty` : `${file} is no JSON, or was cut off`);
  }
}
