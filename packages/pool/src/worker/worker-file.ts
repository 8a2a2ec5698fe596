import { readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { tried } from '../shared/untrusted.js';

export interface WorkerFile {
  readonly path: string;
  /** Query and hash of its URL, or ''. For `import()`, each query is another module. */
  readonly query: string;
  readonly extension: string;
  /** False: at most a hook of `import()` can find it. */
  readonly isFound: boolean;
}

/** The exports of a file, or the error that loading it gave, and whether any of its code has run. */
export type Attempt =
  | { readonly exports: unknown }
  | { readonly error: unknown; hasRun(): boolean | Promise<boolean> };

/** @param name a path, or a `file:` URL with a query or hash */
export function workerFile(name: string): WorkerFile {
  const url = name.startsWith('file:') ? new URL(name) : undefined;
  const named = url === undefined ? name : fileURLToPath(url);
  const match = find(named);
  const path = match ?? named;
  const query = url === undefined ? '' : url.search + url.hash;
  return { path, query, extension: extname(path), isFound: match !== undefined };
}

export const urlOf = ({ path, query }: WorkerFile): string => pathToFileURL(path).href + query;

/** `require` finds folders and names without extension. A missing .js file may stand for a .ts file, as in TypeScript. */
function find(path: string): string | undefined {
  if (isFile(path)) return path;
  const source = path.replace(/\.([cm]?)js$/, '.$1ts');
  const isThere = source !== path && isFile(source);
  return tried(() => requireFrom(path).resolve(path), isThere ? source : undefined);
}

const isFile = (path: string): boolean =>
  tried(() => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false, false);

/** Loaded on demand: few worker files need it, and loading it takes up to a millisecond. */
export function requireFrom(path: string): NodeJS.Require {
  return process.getBuiltinModule('node:module').createRequire(path);
}

/** Does Node treat it as an ES module, because of its extension or its package? */
export function isNamedModule({ path, extension }: WorkerFile): boolean {
  if (extension === '.mjs' || extension === '.mts') return true;
  for (let folder = dirname(realPath(path)); ; folder = dirname(folder)) {
    if (basename(folder) === 'node_modules') return false;
    const type = packageType(folder);
    if (type !== undefined) return type === 'module';
    if (dirname(folder) === folder) return false;
  }
}

/** Is it certainly CommonJS, by its package and because its text contains no `import` or `export`? */
export function isScript(file: WorkerFile): boolean {
  if (file.extension !== '.js' || file.query !== '' || isNamedModule(file)) return false;
  return tried(() => !/\b(?:im|ex)port\b/.test(readFileSync(file.path, 'utf8')), false);
}

export const realPath = (path: string): string => tried(() => realpathSync(path), path);

/** Undefined if there is no readable package.json. */
function packageType(folder: string): unknown {
  return tried(() => {
    const { type } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { type?: unknown };
    return type ?? 'commonjs';
  }, undefined);
}
