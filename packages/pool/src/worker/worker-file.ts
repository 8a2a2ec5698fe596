import { readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { tried } from '../shared/untrusted.js';

/** A worker file as `require` and as `import()` want it. */
export interface WorkerFile {
  readonly path: string;
  /** What followed its path in a URL: for `import()` another query is another module. Empty: nothing. */
  readonly query: string;
  /** With its dot; empty: none. */
  readonly extension: string;
  /** False: only the hooks of `import()` may know it. */
  readonly isFound: boolean;
}

/** What came of one way to load a file: what it exports, or an error, and then whether anything of the file has run. */
export type Attempt =
  | { readonly exports: unknown }
  | { readonly error: unknown; hasRun(): boolean | Promise<boolean> };

/** Of the name that the host gave to it: a path, or a `file:` URL when it has a query or hash. */
export function workerFile(name: string): WorkerFile {
  const url = name.startsWith('file:') ? new URL(name) : undefined;
  const named = url === undefined ? name : fileURLToPath(url);
  const match = find(named);
  const path = match ?? named;
  const query = url === undefined ? '' : url.search + url.hash;
  return { path, query, extension: extname(path), isFound: match !== undefined };
}

export const urlOf = ({ path, query }: WorkerFile): string => pathToFileURL(path).href + query;

/**
 * A file stands for itself. What else there is (a folder, a name without its extension) `require` knows to find. A name in
 * JavaScript that is not there stands for the source beside it, as TypeScript's own imports do.
 */
function find(path: string): string | undefined {
  if (isFile(path)) return path;
  const source = path.replace(/\.([cm]?)js$/, '.$1ts');
  const isThere = source !== path && isFile(source);
  return tried(() => requireFrom(path).resolve(path), isThere ? source : undefined);
}

const isFile = (path: string): boolean =>
  tried(() => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false, false);

/** Not imported above: few worker files need it, and it takes a new thread up to a millisecond to load. */
export function requireFrom(path: string): NodeJS.Require {
  return process.getBuiltinModule('node:module').createRequire(path);
}

/** Does Node take it for an ES module by its name or by the package that it is in? */
export function isNamedModule({ path, extension }: WorkerFile): boolean {
  if (extension === '.mjs' || extension === '.mts') return true;
  for (let folder = dirname(realPath(path)); ; folder = dirname(folder)) {
    if (basename(folder) === 'node_modules') return false;
    const type = packageType(folder);
    if (type !== undefined) return type === 'module';
    if (dirname(folder) === folder) return false;
  }
}

/** Is it surely CommonJS, by its package and because its text never says `import` or `export`? */
export function isScript(file: WorkerFile): boolean {
  if (file.extension !== '.js' || file.query !== '' || isNamedModule(file)) return false;
  return tried(() => !/\b(?:im|ex)port\b/.test(readFileSync(file.path, 'utf8')), false);
}

export const realPath = (path: string): string => tried(() => realpathSync(path), path);

/** What the package.json of a folder says; undefined when there is none, or none that can be read. */
function packageType(folder: string): unknown {
  return tried(() => {
    const { type } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { type?: unknown };
    return type ?? 'commonjs';
  }, undefined);
}
