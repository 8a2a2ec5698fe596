/** Flags of Node made fit for publishing. */

/** Options whose value is one of a few fixed words and bears on what is measured. */
const WORD_VALUES = new Set([
  '--dns-result-order',
  '--unhandled-rejections',
  '--input-type',
  '--trace-warnings',
]);

/**
 * Keeps the names of options and their numbers; any other value becomes `<value>`.
 *
 * Values are paths, addresses, module names, whole programs after `-e`: reports are published, so what is not known to be
 * harmless is left out.
 */
export function redactOptions(options: readonly string[]): string {
  return options.map(redactOne).join(' ');
}

/**
 * Splits NODE_OPTIONS as Node does: at spaces, except in double quotes, where a backslash escapes the next character.
 */
export function splitNodeOptions(text: string): string[] {
  const options: string[] = [];
  for (const [token] of text.matchAll(/(?:"(?:\\[\s\S]|[^"\\])*"?|[^\s"])+/g)) {
    options.push(token.replace(/\\([\s\S])|"/g, '$1'));
  }
  return options;
}

function redactOne(option: string): string {
  const [, name, value] = /^(--?[a-z0-9][a-z0-9_-]*)(?:=([\s\S]*))?$/i.exec(option) ?? [];
  if (name === undefined) return isNumber(option) ? option : '<value>';
  if (value === undefined) return name;
  const isHarmless = isNumber(value) || (WORD_VALUES.has(name) && /^[a-z0-9-]+$/.test(value));
  return `${name}=${isHarmless ? value : '<value>'}`;
}

function isNumber(text: string): boolean {
  return /^-?\d+(\.\d+)?$/.test(text);
}
