import { readFileSync } from 'node:fs';
import { PoolError } from '../errors.js';
import { messageOf, read } from '../shared/untrusted.js';
import { isHooked } from './require-file.js';
import { urlOf, type WorkerFile } from './worker-file.js';

/** @param file the file that cannot be loaded, if `name` was found */
export function cannotLoad(name: string, cause: unknown, file?: WorkerFile): PoolError {
  const reason = file === undefined ? messageOf(cause) : reasonOf(file, cause);
  return new PoolError('PLIMSOLL_POOL_LOAD_FAILED', `Cannot load ${name}: ${reason}`, { cause });
}

const NO_FILE =
  'no file has this name, and no folder with an index.js. If this program is bundled, the worker file has to be ' +
  'an entry point, too';

function reasonOf(file: WorkerFile, cause: unknown): string {
  const message = messageOf(cause);
  // Node's message would name the pool's code as the importer.
  if (!file.isFound && isMissing(file, cause)) return NO_FILE;
  const position = syntaxPosition(cause, file.path);
  return message + (position === undefined ? '' : ` at ${position}`) + advice(file, cause);
}

function advice({ extension }: WorkerFile, cause: unknown): string {
  const unknown = isUnknownExtension(cause) ? /"(\.\w+)"/.exec(cause.message)?.[1] : undefined;
  if (unknown === '.tsx' || unknown === '.jsx') {
    return '. Node.js cannot run JSX: name a compiled file, or run the process under tsx';
  }
  const { typescript } = process.features as { typescript?: unknown };
  const isTypedScript = extension === '.cts' && cause instanceof SyntaxError && !isHooked(extension);
  if (typescript || !(isTypedScript || (unknown !== undefined && isTyped(unknown)))) return '';
  return '. Name a compiled file, or run the process under tsx or on Node.js 22.18 or newer';
}

export const isTyped = (extension: string): boolean =>
  ['.ts', '.mts', '.cts', '.tsx', '.jsx'].includes(extension);

export const isUnknownExtension = (error: unknown): error is Error =>
  read(error, 'code') === 'ERR_UNKNOWN_FILE_EXTENSION';

const MISSING = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND', 'ERR_UNSUPPORTED_DIR_IMPORT'];

/** Was the file itself not found, as opposed to a file that it imports? */
export function isMissing(file: WorkerFile, error: unknown): boolean {
  if (!MISSING.includes(read(error, 'code') as string)) return false;
  const message = messageOf(error);
  return [file.path, urlOf(file)].some((name) => message.includes(`'${name}'`));
}

const LESS = ['ERR_REQUIRE_ESM', 'ERR_REQUIRE_CYCLE_MODULE', 'ERR_INTERNAL_ASSERTION'];

/** Is an error less helpful than ERR_UNKNOWN_FILE_EXTENSION? */
export const saysLess = (error: unknown): boolean => LESS.includes(read(error, 'code') as string);

/** Returns `file:line:column`. For CommonJS, Node puts it at the head of the stack. */
function syntaxPosition(error: unknown, path: string): string | undefined {
  if (!(error instanceof SyntaxError)) return undefined;
  return headOf(error) ?? positionInModule(error, path);
}

/** Matches `path:line`, the line of source, and carets below it. */
const HEAD = /^(?:file:\/\/)?(\S[^\n]*:\d+)\n.*?\n( *)\^/s;
/** The same for an error at the end of the file, where there are no carets. */
const END_HEAD = /^(?:file:\/\/)?(\S[^\n]*:\d+)\n[^\n]*\n( *)\n/;
const AT_END = 'Unexpected end of input';

function headOf({ message, stack }: Error): string | undefined {
  const head = (message === AT_END ? END_HEAD : HEAD).exec(String(stack));
  return head === null ? undefined : `${head[1]}:${(head[2] as string).length + 1}`;
}

/** Compiles an ES module as a script, in an async function and without module keywords: it breaks at the same place. */
function positionInModule(error: Error, path: string): string | undefined {
  const { Script } = process.getBuiltinModule('node:vm');
  try {
    const end = error.message === AT_END ? '' : '\n})';
    const text = `'use strict'; (async () => {\n${withoutModuleWords(readFileSync(path, 'utf8'))}${end}`;
    new Script(text, { filename: path, lineOffset: -1 });
  } catch (cause) {
    const { message } = cause as Error;
    if (message === error.message) return headOf(cause as Error);
  }
  return undefined;
}

const IMPORT = /^[ \t]*import\b(?!\s*[.(])[^'"]*(['"]).*?\1(?:\s*with\s*\{[^}]*\})?/gm;
const REEXPORT = /^[ \t]*export\s*(?:\*[^'"]*?|\{[^}]*\}\s*)from\s*(['"]).*?\1(?:\s*with\s*\{[^}]*\})?/gm;
const EXPORT_LIST = /^[ \t]*export\s*\{[^}]*\}/gm;

function withoutModuleWords(text: string): string {
  return text
    .replace(IMPORT, blank)
    .replace(REEXPORT, blank)
    .replace(EXPORT_LIST, blank)
    .replace(/^[ \t]*export\s+default\b/gm, (words) => `${blank(words.slice(0, -2))}0,`)
    .replace(/^[ \t]*export\b/gm, blank)
    .replace(/\bimport\.meta\b/g, 'import_meta');
}

const blank = (text: string): string => text.replace(/[^\n]/g, ' ');
