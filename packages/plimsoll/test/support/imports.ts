import { posix } from 'node:path';

/** Files by their path below the source folder, with their text. */
export type Sources = ReadonlyMap<string, string>;

const COMMENTS = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;
/** Every way in which a file names another one: static, type-only, dynamic, CommonJS, and as the entry of a process. */
const REFERENCES =
  /\bfrom\s*['"](\.[^'"]*)['"]|\bimport\s*\(?\s*['"](\.[^'"]*)['"]|\brequire\(\s*['"](\.[^'"]*)['"]|\bnew URL\(\s*['"](\.[^'"]*)['"]\s*,\s*import\.meta\.url/g;

/** The files of the sources that each of them names; a module that is not there is named as it is written. */
export function importsOf(sources: Sources): Map<string, string[]> {
  return new Map(
    [...sources].map(([file, text]) => [
      file,
      [...text.replace(COMMENTS, '').matchAll(REFERENCES)]
        .map(([, ...names]) => names.find((name) => name !== undefined) ?? '')
        .filter((name) => /\.[cm]?js$/.test(name))
        .map((name) => posix.join(posix.dirname(file), name.replace(/\.([cm]?)js$/, '.$1ts'))),
    ]),
  );
}

const STATIC = /^(?:import|export)\b[^;'"]*?\bfrom\s*['"](\.[^'"]*)['"]|^import\s*['"](\.[^'"]*)['"]/gm;

/** The compiled files that are loaded with one, itself first. @param read the text of a file by its path. */
export function closureOf(
  file: string,
  read: (file: string) => string,
  found = new Set<string>(),
): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, from, effect = ''] of read(file).replace(COMMENTS, '').matchAll(STATIC))
    closureOf(posix.join(posix.dirname(file), from ?? effect), read, found);
  return found;
}

/**
 * What is wrong with the imports of some sources.
 *
 * @param floors folders from the top down; a folder imports from itself and from the floors under it.
 * @param top files that stand above all floors, which nothing imports.
 * @param bottom files that lie under all floors.
 */
export function faultsOf(
  sources: Sources,
  floors: readonly (readonly string[])[],
  top: readonly string[],
  bottom: readonly string[],
): string[] {
  const levelOf = (file: string): number => {
    if (top.includes(file)) return -1;
    if (bottom.includes(file)) return floors.length;
    const [folder = ''] = file.split('/');
    const level = floors.findIndex((floor) => floor.includes(folder));
    return level === -1 ? Number.NaN : level;
  };
  const imports = importsOf(sources);
  const faults = [...sources.keys()]
    .filter((file) => Number.isNaN(levelOf(file)))
    .map((file) => `${file} is on no floor`);
  for (const [file, targets] of imports)
    for (const target of targets) {
      if (!sources.has(target)) faults.push(`${file} imports ${target}, which is not there`);
      else if (folderOf(target) !== folderOf(file) && levelOf(target) <= levelOf(file))
        faults.push(`${file} imports ${target}, which is not under it`);
    }
  return [...faults, ...circlesOf(imports).map((circle) => `circle: ${circle.join(' -> ')}`)];
}

const folderOf = (file: string): string => (file.includes('/') ? (file.split('/')[0] as string) : file);

/** One circle for each import that closes one, by depth-first search. */
function circlesOf(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): void => {
    const at = path.indexOf(file);
    if (at !== -1) {
      circles.push([...path.slice(at), file]);
      return;
    }
    if (done.has(file)) return;
    path.push(file);
    for (const target of imports.get(file) ?? []) visit(target);
    path.pop();
    done.add(file);
  };
  for (const file of imports.keys()) visit(file);
  return circles;
}
