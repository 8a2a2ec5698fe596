// The table of a package's error codes, in its documents.
import { readFileSync, writeFileSync } from 'node:fs';

/** @type {(names: string) => string} */
const quoted = (names) => names.replace(/\w+Error/g, '`$&`');

/**
 * What a package's own scripts/error-table.mjs exports.
 *
 * @param {Record<string, { thrownAs?: string, when: string, remedy: string }>} errors by their codes
 * @param {string} prefix of all codes
 * @param {URL[]} documents with the table, whose first column is the code
 */
export function errorTableOf(errors, prefix, documents) {
  const hasClass = Object.values(errors).some(({ thrownAs }) => thrownAs !== undefined);
  /** @type {(cells: (string | undefined)[]) => string} */
  const rowOf = (cells) => `| ${cells.filter((cell) => cell !== undefined).join(' | ')} |`;
  const columns = ['code', hasClass ? 'class' : undefined, 'when', 'what to do'];
  // All lines of the one whose rows begin with a code.
  const pattern = new RegExp(`(?:^\\|.*\\n){2}(?:^\\| \`${prefix}.*(?:\\n|$))+`, 'm');

  /** The table as Markdown. */
  const errorTable = () =>
    [
      rowOf(columns),
      `|${'---|'.repeat(hasClass ? 4 : 3)}`,
      ...Object.entries(errors).map(([code, { thrownAs, when, remedy }]) =>
        rowOf([`\`${code}\``, thrownAs && quoted(thrownAs), when, remedy]),
      ),
    ].join('\n');

  return {
    DOCUMENTS: documents,
    errorTable,
    /**
     * The table that a document has, without a line break at the end; undefined: none.
     *
     * @param {string} text
     */
    tableIn: (text) => pattern.exec(text)?.[0].trimEnd(),
    writeTables: () => {
      for (const document of documents) {
        const text = readFileSync(document, 'utf8');
        writeFileSync(
          document,
          text.replace(pattern, () => `${errorTable()}\n`),
        );
      }
    },
  };
}
