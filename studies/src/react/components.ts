import { createElement as h, type ReactElement } from 'react';

const WORDS =
  'lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore et dolore magna aliqua enim ad minim veniam quis nostrud exercitation ullamco laboris nisi aliquip ex ea commodo consequat'.split(
    ' ',
  );
const PARAGRAPHS = 5;
const WORDS_EACH = 90;

let state = 2026;

/** The same words in the same order in every process, and other ones for every page. */
function nextWord(): string {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return WORDS[state % WORDS.length] as string;
}

export function Greeting({ name }: { readonly name: string }): ReactElement {
  return h('div', null, 'Hello ', name, '!');
}

/** Generated text of about three kilobytes. */
export function Lorem(): ReactElement {
  const paragraphs = Array.from({ length: PARAGRAPHS }, (_, key) =>
    h('p', { key }, Array.from({ length: WORDS_EACH }, nextWord).join(' ')),
  );
  return h('div', null, paragraphs);
}
