import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { none, type Outcome } from './outcome.js';

/** Every public name of a package: what it exports, members of its classes, and every name in its types. */
export interface PublicNames {
  readonly library: string;
  readonly version: string;
  readonly names: ReadonlySet<string>;
}

/** @throws when the package is not installed. */
export async function publicNames(library: string): Promise<PublicNames> {
  const folder = folderOf(library);
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  const names = new Set<string>();
  addMembers(names, await import(library));
  for (const file of declarationFiles(folder)) {
    const text = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
    for (const [name] of text.matchAll(/[A-Za-z_$][\w$]*/g)) names.add(name);
  }
  return { library, version, names };
}

function folderOf(library: string): string {
  const entry = fileURLToPath(import.meta.resolve(library));
  const end = `node_modules/${library}/`;
  const start = entry.lastIndexOf(end);
  return start < 0 ? dirname(dirname(entry)) : entry.slice(0, start + end.length);
}

const declarationFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.d\.[cm]?ts$/.test(file) && !file.includes('node_modules'))
    .map((file) => join(folder, file));

function addMembers(names: Set<string>, exported: object): void {
  for (const [name, value] of Object.entries(exported)) {
    names.add(name);
    if (typeof value === 'function') {
      for (const part of [value, value.prototype ?? {}])
        for (const member of Object.getOwnPropertyNames(part)) names.add(member);
    }
  }
}

/**
 * What a library has no API for, in words.
 *
 * @param pattern what a name of such an API would have in it
 * @param known names that match and are something else
 * @throws when there is any other one: the library may have learnt it
 */
export async function lack(library: string, pattern: RegExp, known: readonly string[] = []): Promise<string> {
  const { version, names } = await publicNames(library);
  const found = [...names].filter((name) => pattern.test(name) && !known.includes(name));
  if (found.length > 0) {
    throw new Error(`${library} ${version} has ${found.join(', ')}: write a probe that uses it`);
  }
  const text = `no name in the API of ${library} ${version} matches \`${pattern}\``;
  const others = known.filter((name) => names.has(name));
  return others.length === 0 ? text : `${text} but ${others.map((name) => `\`${name}\``).join(', ')}`;
}

/**
 * A feature that a library has no API for.
 *
 * @param tried what happens instead, as it was observed just now
 */
export const absent = async (
  library: string,
  pattern: RegExp,
  known: readonly string[],
  tried: () => Promise<string>,
): Promise<Outcome> => none(await lack(library, pattern, known), await tried());

/** @throws when the types of a library do not have it. */
export function declared(library: string, pattern: RegExp): void {
  const texts = declarationFiles(folderOf(library)).map((file) => readFileSync(file, 'utf8'));
  if (!texts.some((text) => pattern.test(text))) throw new Error(`no type of ${library} matches ${pattern}`);
}
