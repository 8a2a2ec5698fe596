import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { z } from 'zod';
import { usage } from '../errors.js';
import type { ReportDocument } from '../report/documents.js';
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
type DocumentOf<K extends Kind> = z.infer<(typeof SCHEMAS)[K]>;

const LARGEST_BYTES = 512 * 2 ** 20;
const GZIP = [0x1f, 0x8b];

/**
 * The text of a file, unpacked where it is gzip.
 *
 * @throws {PlimsollError} PLIMSOLL_USAGE when it cannot be read, is damaged, or is empty.
 */
function textOf(file: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw usage(`cannot read ${file} (${(error as NodeJS.ErrnoException).code})`);
  }
  if (GZIP.every((byte, index) => bytes[index] === byte)) {
    try {
      bytes = gunzipSync(bytes, { maxOutputLength: LARGEST_BYTES });
    } catch {
      throw usage(`${file} is damaged, was cut off, or unpacks to more than 512 MB`);
    }
  }
  const text = bytes.toString('utf8');
  if (text.trim() === '') throw usage(`${file} is empty`);
  return text;
}

/** @throws {PlimsollError} PLIMSOLL_USAGE for a file that cannot be read or holds no JSON. */
function readJson(file: string): unknown {
  try {
    return JSON.parse(textOf(file));
  } catch (error) {
    if (error instanceof SyntaxError) throw usage(`${file} is no JSON, or was cut off`);
    throw error;
  }
}

/**
 * Every document of a file: a result, or a list of results; packed by gzip or not.
 *
 * @throws {PlimsollError} PLIMSOLL_USAGE for a file that cannot be read, or holds none.
 */
export function readDocuments(file: string): ReportDocument[] {
  const content = readJson(file);
  const documents = Array.isArray(content) ? content : [content];
  if (documents.length === 0) throw usage(`${file} is an empty list`);
  return documents.map((document) => {
    const kind = kindOf(document, file);
    return { type: kind, document: checked(kind, document, file) } as ReportDocument;
  });
}

/** The result in a file that must be of one kind. @throws {PlimsollError} PLIMSOLL_USAGE when it is none, or of another kind. */
export function readResult<K extends Kind>(file: string, kind: K): DocumentOf<K> {
  const document = readJson(file);
  const found = kindOf(document, file);
  if (found === kind) return checked(kind, document, file);
  throw usage(`${file} is a result of kind "${found}"; one of ${kind} is needed`);
}

function kindOf(document: unknown, file: string): Kind {
  const { schema, kind } = (document ?? {}) as { schema?: unknown; kind?: unknown };
  if (schema !== 'plimsoll/1')
    throw usage(`${file} is no result of plimsoll; give what its commands wrote with --json`);
  if (typeof kind === 'string' && Object.hasOwn(SCHEMAS, kind)) return kind as Kind;
  throw usage(`${file} is a document that no command of this version writes (kind ${JSON.stringify(kind)})`);
}

function checked<K extends Kind>(kind: K, document: unknown, file: string): DocumentOf<K> {
  const result = SCHEMAS[kind].safeParse(document);
  if (result.success) return result.data as DocumentOf<K>;
  const { path, message } = result.error.issues[0] ?? { path: [], message: '' };
  throw usage(
    `${file} is damaged or of another version of plimsoll ${kind} (${path.join('.')}: ${message}); measure it again`,
  );
}
