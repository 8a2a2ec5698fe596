/** A share in percent, without sign or unit: whole from 10 up, one decimal below. */
export const percent = (share: number): string => {
  const value = Math.abs(share) * 100;
  return value >= 9.95 ? value.toFixed(0) : value.toFixed(1);
};

/** A time ratio as a signed change: `−49 %`, `+2.1 %`. */
export const change = (ratio: number): string => `${ratio < 1 ? '−' : '+'}${percent(ratio - 1)} %`;

/** A mode and a case as people call them together: `pm2-fork case 1`, `node open`. */
export const tableName = (mode: string, name: string): string =>
  `${mode} ${/^\d+$/.test(name) ? `case ${name}` : name}`;

/** Milliseconds for people: whole ones from 10 up. */
export const ms = (value: number): string => (value >= 10 ? value.toFixed(0) : value.toFixed(1));

/** A wait for people with its unit, in seconds from one up: `80 ms`, `7.0 s`. */
export const wait = (milliseconds: number): string =>
  milliseconds >= 1000 ? `${ms(milliseconds / 1000)} s` : `${ms(milliseconds)} ms`;

/** `4`, `4 and 8`, `4, 8 and 12`. */
export function list(items: readonly (number | string)[]): string {
  return items.length < 2 ? String(items[0] ?? '') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

/** A text of another program with its control characters escaped: nothing of it may steer the terminal. */
export const printable = (text: string): string =>
  text.replace(/\p{Cc}/gu, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
