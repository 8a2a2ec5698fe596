/** Keeps names and numbers of options; further values become `<value>`: they may be paths, addresses, or programs after `-e`. */
export const redactOptions = (options: readonly string[]): string => options.map(redacted).join(' ');

/** Splits NODE_OPTIONS as Node does: at spaces, except in double quotes, where a backslash escapes the next character. */
export const splitNodeOptions = (text: string): string[] =>
  [...text.matchAll(/(?:"(?:\\[\s\S]|[^"\\])*"?|[^\s"])+/g)].map(([token]) =>
    token.replace(/\\([\s\S])|"/g, '$1'),
  );

function redacted(option: string): string {
  const [, name, value] = /^(--?[a-z0-9][a-z0-9_-]*)(?:=([\s\S]*))?$/i.exec(option) ?? [];
  if (name === undefined) return isNumber(option) ? option : '<value>';
  if (value === undefined) return name;
  return `${name}=${isNumber(value) ? value : '<value>'}`;
}

const isNumber = (text: string): boolean => /^-?\d+(\.\d+)?$/.test(text);
