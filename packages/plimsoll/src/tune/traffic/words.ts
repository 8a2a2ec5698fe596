import { usage } from '../../errors.js';

/** What a shell would do more with than pass it on; nothing does it here. */
const OPERATOR = /[|&;<>()`\n]/;

/**
 * Split a command line into words as a shell does it: at blanks, with single and double quotes and backslashes. No shell is
 * started, so what only a shell could do is refused, instead of being passed on as a word.
 */
export function splitWords(text: string, name: string): [string, ...string[]] {
  const words: string[] = [];
  /** The word under way; null between words, as an empty one is a word, too. */
  let word: string | null = null;
  let quote: string | null = null;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (quote === "'") {
      if (character === "'") quote = null;
      else word += character;
    } else if (character === '\\') {
      const next = text.charAt(++at);
      if (next === '') throw usage(`${name}: ends in a backslash: ${JSON.stringify(text)}`);
      // In double quotes a backslash stays before what needs none.
      word = (word ?? '') + (quote === '"' && !'"\\$`'.includes(next) ? character : '') + next;
    } else if (quote === '"') {
      if (character === '"') quote = null;
      else word += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= '';
    } else if (character === ' ' || character === '\t') {
      if (word !== null) words.push(word);
      word = null;
    } else {
      if (OPERATOR.test(character)) throw operator(character, name, text);
      word = (word ?? '') + character;
    }
  }
  if (quote !== null) throw usage(`${name}: a quote (${quote}) is not closed: ${JSON.stringify(text)}`);
  if (word !== null) words.push(word);
  const [first, ...rest] = words;
  if (first === undefined || first === '')
    throw usage(`${name}: must name a program to run, not ${JSON.stringify(text)}`);
  return [first, ...rest];
}

const operator = (character: string, name: string, text: string) =>
  usage(
    `${name}: no shell is started, so ${JSON.stringify(character)} would have no effect: ${JSON.stringify(text)}; quote it where it is part of a word, such as a URL, or put the line into a script`,
  );
