import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import type { Driver } from '../driver.js';
import { fact, judge, type Outcome } from '../outcome.js';

/** What a pool tells after tasks of two functions have run. */
export interface Told {
  /** Parts of a task's time that have figures. */
  readonly phases: readonly string[];
  /** All of it. */
  readonly whole: object;
}

export async function explain(pool: Driver, tell: () => Told): Promise<Outcome> {
  for (let index = 0; index < 200; index++) await pool.submit('where');
  await pool.submit('nap', 'task');
  const { phases, whole } = tell();
  const text = inspect(whole, { depth: 8, getters: true });
  return judge(
    [
      fact(
        phases.length > 1,
        `it has ${phases.join(', ')}`,
        'it has no figures of where the time of a task goes',
      ),
    ],
    [
      fact(
        phases.length > 3,
        'the way to the worker and back has phases of its own',
        'the way to the worker and back has no phase of its own',
      ),
      fact(
        /\bwhere\b/.test(text) && /\bnap\b/.test(text),
        'of each function',
        'of the pool as a whole, not of each function',
      ),
      fact(/\b(advice|recommendations?|hints?)\b/.test(text), 'and advice', 'there is no advice'),
    ],
  );
}

const SAMPLE = /^[a-z_:][\w:]*(\{.*\})? [-+\w.]+$/i;

export async function prometheus(pool: Driver, metrics: () => string): Promise<Outcome> {
  await pool.submit('where');
  const lines = metrics().trimEnd().split('\n');
  const samples = lines.filter((line) => !line.startsWith('#'));
  const right = samples.length > 0 && samples.every((line) => SAMPLE.test(line));
  const typed = lines.some((line) => /^# TYPE \S+ (counter|gauge|histogram)$/.test(line));
  return judge([
    fact(
      right && typed,
      `${samples.length} samples in its text format`,
      'what it gives is not in that format',
    ),
  ]);
}

/** @throws when a page of the package's documentation has the word. */
export async function undocumented(library: string, word: string): Promise<string> {
  let folder = dirname(fileURLToPath(import.meta.resolve(library)));
  const end = `node_modules/${library}`;
  while (!folder.endsWith(end)) folder = dirname(folder);
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.md') && !/CHANGELOG|HISTORY|node_modules/.test(file),
  );
  const naming = pages.filter((page) =>
    readFileSync(join(folder, page), 'utf8').toLowerCase().includes(word.toLowerCase()),
  );
  if (naming.length > 0) throw new Error(`${naming.join()} of ${library} names ${word}: read it`);
  return `no page of its documentation names ${word}`;
}
