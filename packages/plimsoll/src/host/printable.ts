/** A text of another program with its control characters escaped: nothing of it may steer the terminal. */
export const printable = (text: string): string =>
  text.replace(/\p{Cc}/gu, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
