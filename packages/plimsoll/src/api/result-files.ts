import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { usage } from '../errors.js';
import { list } from '../report/format.js';
import { benchSchema } from '../results/bench.js';
import { classificationSchema } from '../results/classification.js';
import { comparisonSchema } from '../results/comparison.js';
import { timelineSchema } from '../results/timeline.js';
import { traceSummarySchema } from '../results/trace-summary.js';
import { tuneSchema } from '../results/tune.js';

const SCHEMAS = {
  bench: benchSchema,
  classification: classificationSchema,
  comparison: comparisonSchema,
  timeline: timelineSchema,
  trace: traceSummarySchema,
  tune: tuneSchema,
} as const;

type Kind = keyof typeof SCHEMAS;
type ResultDocument = z.infer<(typeof SCHEMAS)[Kind]>;

function readJson(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw usage(`cannot read ${file} (${(error as NodeJS.ErrnoException).code})`);
  }
  if (text.trim() === '') throw usage(`${file} is empty`);
  try {
    return JSON.parse(text);
  } catch {
    throw usage(`${file} is not JSON, or is truncated`);
  }
}

/** Every document of a file: a result, or a list of results. */
export function readDocuments(file: string): ResultDocument[] {
  const documents = [readJson(file)].flat();
  if (documents.length === 0) throw usage(`${file} is an empty list`);
  return documents.map((document) => checked(document, file));
}

/** The pool size that a result of `tune` or `bench` recommends. */
export function recommendedSize(file: string): number {
  const named = readDocuments(file).flatMap((result) => {
    if (result.kind === 'tune') return [{ name: 'tune', size: result.recommended }];
    if (result.kind === 'bench')
      return result.workloads.map(({ name, recommended: size }) => ({ name, size }));
    throw usage(`${file} recommends no size; pass a result of plimsoll tune or bench`);
  });
  const [size = null, ...others] = new Set(named.map(({ size }) => size));
  if (others.length > 0) {
    const sizes = named.map(({ name, size }) => `${size ?? 'none'} for ${name}`);
    throw usage(`${file} recommends several sizes (${list(sizes)}); set a number instead`);
  }
  if (size === null)
    throw usage(`${file} recommends no size, because it has too little data; measure for longer`);
  return size;
}

function checked(document: unknown, file: string): ResultDocument {
  const { schema, kind } = (document ?? {}) as { schema?: unknown; kind?: unknown };
  if (schema !== 'plimsoll/1')
    throw usage(`${file} is not a plimsoll result; pass a file that a command wrote with --json`);
  if (typeof kind !== 'string' || !Object.hasOwn(SCHEMAS, kind))
    throw usage(
      `${file} is a document that no command of this version writes (kind ${JSON.stringify(kind)})`,
    );
  const result = SCHEMAS[kind as Kind].safeParse(document);
  if (result.success) return result.data;
  const { path, message } = result.error.issues[0] ?? { path: [], message: '' };
  throw usage(
    `${file} is damaged, or comes from another version of plimsoll ${kind} (${path.join('.')}: ${message}); measure it again`,
  );
}
