/** A foreign text with its control characters escaped, including bidirectional and zero-width ones, which mislead readers. */
export const printable = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = (character.codePointAt(0) as number).toString(16);
    return code.length > 2 ? `\\u{${code}}` : `\\x${code.padStart(2, '0')}`;
  });
