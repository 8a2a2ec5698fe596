import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRandom, type Random } from '@plimsoll/lab';

/** What a program reads: folders of text, of modules, or nothing. */
export type Input = 'text' | 'modules' | 'none';

/** Raised when what is generated changes: what was cached before is then of no use. */
const VERSION = 1;
const SEED = 2026;
const FOLDERS = 16;
const TEXTS = 40;
const MODULES = 60;

/** Generates what is not there yet; the same in every place. @returns its folder. */
export function makeInputs(input: Input, cache: string): string {
  const directory = join(cache, `${input}-${VERSION}`);
  if (existsSync(directory)) return directory;
  const partial = `${directory}.part`;
  rmSync(partial, { recursive: true, force: true });
  const random = createRandom(SEED);
  mkdirSync(partial, { recursive: true });
  if (input !== 'none')
    for (let folder = 0; folder < FOLDERS; folder++) {
      const name = `package-${String(folder).padStart(2, '0')}`;
      mkdirSync(join(partial, name));
      for (const [file, text] of FILES[input](name, random)) writeFileSync(join(partial, name, file), text);
    }
  renameSync(partial, directory);
  return directory;
}

const FILES: Readonly<Record<'text' | 'modules', (folder: string, random: Random) => [string, string][]>> = {
  text: (folder, random) => [
    ['package.json', JSON.stringify({ name: folder, version: '1.0.0' })],
    ...Array.from({ length: TEXTS }, (_, index): [string, string] => [textName(index), text(random)]),
  ],
  modules: (folder, random) => [
    ['package.json', JSON.stringify({ name: folder, version: '1.0.0', type: 'module' })],
    [
      'index.js',
      Array.from({ length: MODULES }, (_, index) => `export * from './module-${index}.js';\n`).join(''),
    ],
    ...Array.from({ length: MODULES }, (_, index): [string, string] => [
      `module-${index}.js`,
      moduleText(index, random),
    ]),
  ],
};

const textName = (index: number): string => `text-${String(index).padStart(2, '0')}.txt`;

/** A file of the text input, by a number from 0. */
export const textPath = (index: number): string =>
  `/package-${String(Math.floor(index / TEXTS) % FOLDERS).padStart(2, '0')}/${textName(index % TEXTS)}`;

const WORDS =
  'pool thread queue wait loop job size core file hash image request answer server client table'.split(' ');

/** 1 to 64 KB, small ones more often. */
function text(random: Random): string {
  const length = 1024 * 2 ** (6 * random.next() ** 2);
  let written = '';
  while (written.length < length)
    written += `${WORDS[Math.floor(random.next() * WORDS.length)]} ${Math.floor(random.next() * 1e6)}\n`;
  return written;
}

function moduleText(index: number, random: Random): string {
  const functions = Array.from({ length: 12 }, (_, one) => {
    const limit = Math.floor(random.next() * 100);
    return `export function f${index}_${one}(value, other) {
  let sum = ${limit};
  for (let step = 0; step < value; step++) {
    if (step % 2 == ${one % 2} && other > ${limit}) sum += step * other;
    else if (sum > ${limit * 10}) sum -= step;
  }
  return sum;
}
`;
  });
  return functions.join('\n');
}
