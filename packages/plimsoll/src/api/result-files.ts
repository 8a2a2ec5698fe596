import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { z } from 'zod';
import { usage } from '../errors.js';
import { traceNotes } from '../report/findings/trace.js';
import type { ReportDocument } from '../report/html/sections.js';
import { benchSchema } from '../results/bench.js';
import { classificationSchema } from '../results/classification.js';
import { comparisonSchema } from '../results/comparison.js';
import { timelineSchema } from '../results/timeline.js';
import type { Trace } from '../results/trace.js';
import { traceSummarySchema } from '../results/trace-summary.js';
import { tuneSchema } from '../results/tune.js';
import { readTrace as readRecording } from '../trace/trace-file.js';

const SCHEMAS = {
  bench: benchSchema,
  classification: classificationSchema,
  comparison: comparisonSchema,
  timeline: timelineSchema,
  trace: traceSummarySchema,
  tune: tuneSchema,
} as const;

type Kind = keyof typeof SCHEMAS;

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

function readJson(file: string, text = textOf(file)): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw usage(`${file} is no JSON, or was cut off`);
  }
}

/**
 * Every document of a file: a result, a list of results, or a kept trace; packed by gzip or not.
 *
 * @throws {PlimsollError} PLIMSOLL_USAGE for a file that cannot be read, or holds none.
 */
export function readDocuments(file: string): ReportDocument[] {
  const text = textOf(file);
  if (isKeptTrace(text)) return [{ type: 'kept trace', document: readTrace(file) }];
  const content = readJson(file, text);
  const documents = Array.isArray(content) ? content : [content];
  if (documents.length === 0) throw usage(`${file} is an empty list`);
  return documents.map((document) => {
    const kind = kindOf(document, file);
    return { type: kind, document: checked(kind, document, file) } as ReportDocument;
  });
}

/** The result in a file that must be of one kind. @throws {PlimsollError} PLIMSOLL_USAGE when it is none, or of another kind. */
export function readResult<K extends Kind>(file: string, kind: K): z.infer<(typeof SCHEMAS)[K]> {
  const document = readJson(file);
  const found = kindOf(document, file);
  if (found === kind) return checked(kind, document, file);
  throw usage(`${file} is a result of kind "${found}"; one of ${kind} is needed`);
}

/**
 * Read a kept trace. What is missing or damaged is left out and said in a note; so is what cannot be, such as a job that
 * ended before it started.
 *
 * @param source path of a file, or the text itself (which begins with a brace or has several lines).
 * @throws {PlimsollError} PLIMSOLL_BAD_TRACE when it cannot be read, is empty, or is no kept trace.
 * @example
 * readTrace('app.trace').processes[0]?.jobs.length;
 */
export function readTrace(source: string): Trace {
  const recording = readRecording(source);
  return { ...recording, notes: traceNotes(recording.notes) };
}

/** The first of its lines says so. */
function isKeptTrace(text: string): boolean {
  const [first = ''] = text.split('\n', 1);
  try {
    const { kind, format } = JSON.parse(first) as { kind?: unknown; format?: unknown };
    return kind === 'trace' && format === 'lines';
  } catch {
    return false;
  }
}

function kindOf(document: unknown, file: string): Kind {
  const { schema, kind } = (document ?? {}) as { schema?: unknown; kind?: unknown };
  if (schema !== 'plimsoll/1')
    throw usage(
      `${file} is no result of plimsoll; give what its commands wrote with --json, or trace with --out`,
    );
  if (typeof kind === 'string' && Object.hasOwn(SCHEMAS, kind)) return kind as Kind;
  throw usage(`${file} is a document that no command of this version writes (kind ${JSON.stringify(kind)})`);
}

function checked<K extends Kind>(kind: K, document: unknown, file: string): z.infer<(typeof SCHEMAS)[K]> {
  const result = SCHEMAS[kind].safeParse(document);
  if (result.success) return result.data as z.infer<(typeof SCHEMAS)[K]>;
  const { path, message } = result.error.issues[0] ?? { path: [], message: '' };
  throw usage(
    `${file} is damaged or of another version of plimsoll ${kind} (${path.join('.')}: ${message}); measure it again`,
  );
}
