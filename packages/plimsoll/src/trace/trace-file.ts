import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { cannotWrite, PlimsollError } from '../errors.js';
import type { Recording } from '../results/trace.js';
import {
  type TraceHeader,
  type TraceLine,
  traceHeaderSchema,
  traceLineSchema,
} from '../results/trace-file.js';
import { assemble, Damage } from './kept-processes.js';

/** Lines are joined up to so many before they are written. */
const LINES_PER_WRITE = 5000;

/**
 * Keep a trace as lines of JSON: one for what it is, then one for each process, job, interval of usage and note.
 *
 * @throws {PlimsollError} PLIMSOLL_OUTPUT_FAILED when the file cannot be written.
 */
export function writeTrace(trace: Recording, file: string): void {
  try {
    const descriptor = openSync(file, 'w');
    try {
      let text: string[] = [];
      const flush = (): void => {
        writeAll(descriptor, text.join(''));
        text = [];
      };
      for (const line of traceLines(trace)) {
        text.push(`${JSON.stringify(line)}\n`);
        if (text.length >= LINES_PER_WRITE) flush();
      }
      flush();
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw cannotWrite('out', file, error);
  }
}

function writeAll(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
}

/** The lines of a kept trace. */
export function* traceLines(trace: Recording): Generator<TraceHeader | TraceLine> {
  const { environment, command, startedAt, durationMs, processes, notes } = trace;
  yield {
    schema: 'plimsoll/1',
    kind: 'trace',
    format: 'lines',
    environment,
    command: [...command],
    startedAt,
    durationMs,
  };
  for (const [process, { jobs, operations, requests, usage, ...facts }] of processes.entries()) {
    yield { type: 'process', process, ...facts };
    for (const [id, request] of requests.entries()) yield { type: 'request', process, id, ...request };
    for (const [id, operation] of operations.entries())
      yield { type: 'operation', process, id, ...operation };
    for (const [id, job] of jobs.entries()) yield { type: 'job', process, id, ...job };
    for (const interval of usage) yield { type: 'usage', process, ...interval };
  }
  for (const { id, pid, count, detail } of notes) yield { type: 'note', id, pid, count, detail };
}

const bad = (text: string, cause?: unknown): PlimsollError =>
  new PlimsollError('PLIMSOLL_BAD_TRACE', text, { cause });

/**
 * Read a kept trace. What is missing or damaged is left out and said in a note; so is what cannot be, such as a job that
 * ended before it started.
 *
 * @param source path of a file, or the text itself (which begins with a brace or has several lines).
 * @throws {PlimsollError} PLIMSOLL_BAD_TRACE when it cannot be read, is empty, or is no kept trace.
 * @example
 * readTrace('app.trace').processes[0]?.jobs.length;
 */
export function readTrace(source: string): Recording {
  const isText = source.includes('\n') || source.trimStart().startsWith('{');
  return parseTrace(isText ? source : readText(source), isText ? 'the trace' : source);
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw bad(`cannot read ${path} (${code}); give a file that plimsoll trace --out wrote`, error);
  }
}

function parseTrace(text: string, name: string): Recording {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const [first] = lines;
  if (first === undefined) throw bad(`${name} is empty; a trace begins with a line of JSON`);
  const header = traceHeaderSchema.safeParse(parseJson(first));
  if (!header.success) throw notATrace(text, first, name);
  const { environment, command, startedAt, durationMs } = header.data;
  const { found, unreadable, truncated } = readLines(lines.slice(1));
  const damage = new Damage();
  damage.count('unreadable', unreadable);
  damage.count('truncated', truncated ? 1 : 0);
  const processes = assemble(found, damage);
  const kept = found.flatMap((line) => (line.type === 'note' ? [noteOf(line)] : []));
  return { environment, command, startedAt, durationMs, processes, notes: [...kept, ...damage.notes()] };
}

type Note = Recording['notes'][number];

function noteOf({ type, ...note }: Extract<TraceLine, { type: 'note' }>): Note {
  return note;
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function notATrace(text: string, first: string, name: string): PlimsollError {
  const value = (parseJson(first) ?? parseJson(text)) as { schema?: unknown; kind?: unknown } | undefined;
  if (value?.schema === 'plimsoll/1' && value.kind === 'trace')
    return bad(`${name} is the summary of a trace (--json); give the file of --out, which holds the jobs`);
  if (value?.schema === 'plimsoll/1' && typeof value.kind === 'string')
    return bad(
      `${name} is the result of another command (${JSON.stringify(value.kind.slice(0, 40))}), not a trace`,
    );
  if (typeof value?.schema === 'string')
    return bad(
      `${name} has the schema ${JSON.stringify(value.schema.slice(0, 40))}; this version reads "plimsoll/1"`,
    );
  return bad(
    `${name} is no trace: its first line is ${JSON.stringify(first.slice(0, 60))}, and that of plimsoll trace --out begins with {"schema":"plimsoll/1","kind":"trace"`,
  );
}

function readLines(lines: readonly string[]): { found: TraceLine[]; unreadable: number; truncated: boolean } {
  const found: TraceLine[] = [];
  let unreadable = 0;
  let truncated = false;
  for (const [index, line] of lines.entries()) {
    const value = parseJson(line);
    const read = traceLineSchema.safeParse(value);
    if (read.success) found.push(read.data);
    else if (value === undefined && index === lines.length - 1) truncated = true;
    else unreadable++;
  }
  return { found, unreadable, truncated };
}
