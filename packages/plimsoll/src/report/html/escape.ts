import { printable } from '../../host/printable.js';

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export class Html {
  constructor(readonly text: string) {}
}

type Part = string | number | Html | null | readonly Html[];

/**
 * A template whose texts become texts of HTML or of attributes; control characters are shown, not obeyed. What is HTML already,
 * a list of it, or `null`, which is nothing, stays.
 *
 * @example
 * html`<p title="${anything}">${anything}</p>`;
 */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(
    strings.map((text, index) => text + (index < parts.length ? textOf(parts[index] as Part) : '')).join(''),
  );

/** Of text that is made here and has no place for anybody else's. */
export const raw = (text: string): Html => new Html(text);

function textOf(part: Part): string {
  if (part === null) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(({ text }) => text).join('\n');
  return printable(String(part)).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}
