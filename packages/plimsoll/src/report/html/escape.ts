import { printable } from '../../host/printable.js';

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Any text as text of HTML or of an attribute; control characters are shown, not obeyed. */
export const escapeText = (text: string): string =>
  printable(text).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
