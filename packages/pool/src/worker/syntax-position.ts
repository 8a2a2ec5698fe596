import { readFileSync } from 'node:fs';

/**
 * Where a file breaks the syntax, as `file:line` or `file:line:column`. Node puts it at the head of the stack, but for
 * ES modules, where it keeps it to itself.
 */
export function syntaxPosition(error: unknown, path: string): string | undefined {
  if (!(error instanceof SyntaxError)) return undefined;
  return headOf(error) ?? positionInModule(error, path);
}

/** `path:line`, then a line of the source, then carets below it. */
const HEAD = /^(?:file:\/\/)?(\S[^\n]*:\d+)\n.*?\n( *)\^/s;
/** At the end of the file there is nothing to point at. */
const END_HEAD = /^(?:file:\/\/)?(\S[^\n]*:\d+)\n[^\n]*\n( *)\n/;
const AT_END = 'Unexpected end of input';

function headOf({ message, stack }: Error): string | undefined {
  const head = (message === AT_END ? END_HEAD : HEAD).exec(String(stack));
  return head === null ? undefined : `${head[1]}:${(head[2] as string).length + 1}`;
}

/**
 * The module as a script: its own words are blanked out, and what is left stands in an asynchronous function. When that
 * breaks in the same way, it breaks in the same place.
 */
function positionInModule(error: Error, path: string): string | undefined {
  const { Script } = process.getBuiltinModule('node:vm');
  try {
    const end = error.message === AT_END ? '' : '\n})';
    const text = `'use strict'; (async () => {\n${withoutModuleWords(readFileSync(path, 'utf8'))}${end}`;
    new Script(text, { filename: path, lineOffset: -1 });
  } catch (found) {
    const { message } = found as Error;
    if (message === error.message) return headOf(found as Error);
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

/** Lines and columns stay what they are. */
const blank = (text: string): string => text.replace(/[^\n]/g, ' ');
