import { classify, trace, tune } from 'plimsoll';
import { readDocuments } from '#plimsoll/api/result-files.js';
import type { Result } from '#plimsoll/report/documents.js';
import { inRepository } from './session.js';

const kept = (name: string): string => inRepository(`docs/results/${name}`);

/** The timelines that the repository keeps. */
export const timelines = readDocuments(kept('timeline.json'));

/** Results of measurements that the repository keeps. */
export const measured = readDocuments(kept('bench.json'));

const HASHING =
  'for (let i = 0; i < 40; i++) require("node:crypto").pbkdf2("a", "b", 5000, 64, "sha512", () => require("node:fs").stat(".", () => {}))';

/** One of every other kind, made now. */
export async function made(): Promise<Result[]> {
  const command = [process.execPath, '-e', HASHING];
  const traced = await trace({ command });
  return [
    await tune({ command, sizes: [1, 4], timeMs: 3_000 }),
    traced.summary,
    await classify({ names: ['fs.stat', 'crypto.randomBytes'] }),
  ];
}

export const MARKUP = '<img src=x onerror="alert(1)">';
const SCRIPT_END = '</script><script>alert(2)</script>';
const QUOTES = `/a "b" 'c' onload=alert(3) &amp;/\u0000\u001b[31m\u2028`;
const HOSTILE = [MARKUP, SCRIPT_END, QUOTES];

/** Texts that come from others, or may: names of work and of functions, paths, commands, messages, routes. */
const FOREIGN = new Set([
  ...['name', 'description', 'text', 'message', 'script', 'because', 'explanation', 'call', 'alternative'],
  ...[
    'case',
    'operation',
    'route',
    'title',
    'label',
    'what',
    'model',
    'id',
    'headline',
    'traffic',
    'contender',
    'node',
    'startedAt',
    'command',
  ],
]);

let count = 0;
const hostile = (): string => HOSTILE[count++ % HOSTILE.length] as string;

/** A document whose every text of others' making is hostile. */
export function poisoned<Document>(value: Document, key = ''): Document {
  if (typeof value === 'string') return (FOREIGN.has(key) ? hostile() : value) as Document;
  if (Array.isArray(value))
    return value.map((one) => (key === 'command' ? hostile() : poisoned(one, key))) as Document;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, poisoned(part, name)]),
  ) as Document;
}
