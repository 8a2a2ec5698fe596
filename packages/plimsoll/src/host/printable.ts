/**
 * A text of another program with its control characters escaped, those too that turn the direction of a text or have no width:
 * nothing of it may steer the terminal, or look like what it is not.
 */
export const printable = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = (character.codePointAt(0) as number).toString(16);
    return code.length > 2 ? `\\u{${code}}` : `\\x${code.padStart(2, '0')}`;
  });
