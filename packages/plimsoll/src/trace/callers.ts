import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { basename, dirname, isAbsolute, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { remembered } from '../collections/remembered.js';
import type { PoolJob } from '../libuv/job.js';
import type { Caller, Frame } from '../results/trace.js';
import type { Call } from './process-log.js';

/** Times of events have no fractions. */
const CLOCK_US = 1;

/**
 * Who called each job: what the event loop's thread called last before the job was submitted. A call that was not looked at
 * stands for the one before it of its kind and request. Callers are equal where they are the same object.
 *
 * @param jobs in the order of submission.
 * @param main the thread whose calls these are.
 */
export function callersOf(jobs: readonly PoolJob[], calls: readonly Call[], main: number): Caller[] {
  const frameOf = remembered(readFrame);
  const framesOf = (texts: readonly string[]): Frame[] =>
    texts.map(frameOf).filter((frame, index, all) => !isDeepStrictEqual(frame, all[index - 1]));
  const callers = new Map<string, Caller>();
  const latest = new Map<string, Caller>();
  let next = 0;
  let used = -1;
  return jobs.map((job) => {
    const kind = kindOf(job);
    let call: Call | undefined;
    if (job.loop === main) {
      while ((calls[next]?.at ?? Number.POSITIVE_INFINITY) < job.submitted + CLOCK_US) next++;
      if (next - 1 > used) call = calls[next - 1];
      used = next - 1;
    }
    const { request = null, frames = [] } = call ?? {};
    const alike = `${request}\n${kind}`;
    const before = latest.get(alike);
    if (frames === null && before !== undefined) return before;
    const key = [alike, ...(frames ?? [])].join('\n');
    const caller = callers.get(key) ?? { request, kind, frames: framesOf(frames ?? []) };
    callers.set(key, caller);
    if (call !== undefined && frames !== null) latest.set(alike, caller);
    return caller;
  });
}

/** `crypto`, `zlib`, the name of an N-API work; of fs and dns with their call. */
export const kindOf = ({ kind, name }: Pick<PoolJob, 'kind' | 'name'>): string =>
  kind === 'work' ? name : `${kind}.${name}`;

const PACKAGE = /^.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/;
const FRAME = /^(.*)\t(.*):(\d+):(\d+)$/s;

function readFrame(text: string): Frame {
  const [isOfApp, name = '', script = '', line = 0, column = 0] = FRAME.exec(text) ?? [];
  if (isOfApp === undefined) return { name: text, file: null, line: 0 };
  const path = pathOf(script);
  const mapping = mapOf(path)?.findEntry(Number(line) - 1, Number(column) - 1);
  const isMapped = mapping !== undefined && 'originalSource' in mapping;
  const file = isMapped ? resolve(dirname(path), pathOf(mapping.originalSource)) : path;
  const folded = PACKAGE.exec(file)?.[1];
  if (folded !== undefined) return { name: folded, file: null, line: 0 };
  return { name, file: scriptName(file), line: isMapped ? mapping.originalLine + 1 : Number(line) };
}

const pathOf = (file: string): string => (file.startsWith('file:') ? fileURLToPath(file) : file);

const URL_OF_MAP = /^\/\/# sourceMappingURL=(.+)\s*$/m;
const DATA = /^data:[^,]*;base64,/;

/** Of a script that was made from another; `undefined` without a map that can be read. */
const mapOf = remembered(readMap);

function readMap(path: string): SourceMap | undefined {
  try {
    const url = URL_OF_MAP.exec(readFileSync(path, 'utf8'))?.[1]?.trim();
    if (url === undefined) return undefined;
    const text = DATA.test(url)
      ? Buffer.from(url.replace(DATA, ''), 'base64').toString()
      : readFileSync(resolve(dirname(path), decodeURIComponent(url)), 'utf8');
    return new SourceMap(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** A script as reports may show it: below the working directory by its path from there, elsewhere by its name alone. */
export function scriptName(script: string): string {
  const path = relative(process.cwd(), script);
  return path === '' || path.startsWith('..') || isAbsolute(path) ? basename(script) : path;
}
