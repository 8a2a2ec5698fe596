import type { Block } from './pages.js';

/** A command line of a page, in words. */
export interface CommandLine {
  readonly place: string;
  readonly words: readonly string[];
}

/** What stands in a block to be typed: all of `sh`, the lines after `$ ` of anything else that shows output. */
export function commandLinesOf({ page, line, language, text }: Block): CommandLine[] {
  const isScript = language === 'sh';
  const isSession = language === 'console' || language === '';
  if (!isScript && !isSession) return [];
  const lines = text.replaceAll('\\\n', ' ').split('\n');
  return lines
    .map((typed) => (isScript ? typed : (/^\$ (.*)/.exec(typed)?.[1] ?? '')))
    .flatMap((typed) => commandsOf(wordsOf(typed)))
    .map((words) => ({ place: `${page}:${line} ${words.join(' ')}`, words }));
}

/** The words of a line as a shell sees them: quotes, comments; nothing is expanded. */
export function wordsOf(line: string): string[] {
  const words: string[] = [];
  for (const [token, double, single] of line.matchAll(/"([^"]*)"|'([^']*)'|#.*|[^\s"'#]\S*/g)) {
    if (token.startsWith('#')) break;
    words.push(double ?? single ?? token);
  }
  return words;
}

function commandsOf(words: readonly string[]): string[][] {
  const commands: string[][] = [[]];
  for (const word of words) {
    if (word === '&&') commands.push([]);
    else commands.at(-1)?.push(word);
  }
  return commands.filter(({ length }) => length > 0);
}
