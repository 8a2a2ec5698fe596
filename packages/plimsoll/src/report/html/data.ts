import { gzipSync } from 'node:zlib';

/** Of a page of at most 300 KB this much may be data. */
const MOST_CHARACTERS = 130_000;

/** What tells how single rounds went: by far the most of a result. */
const DETAIL = new Set(['rounds', 'twinRounds', 'runs', 'generations', 'spans']);

interface EmbeddedData {
  readonly text: string;
  /** Single rounds were left out, so that the page stays small. */
  readonly isShortened: boolean;
}

/** The documents for a page: whole where there is room, else without single rounds; `null` when even that is too much. */
export function embeddedData(documents: readonly object[]): EmbeddedData | null {
  const whole = packed(documents);
  if (whole.length <= MOST_CHARACTERS) return { text: whole, isShortened: false };
  const shortened = packed(documents, (name, value) =>
    DETAIL.has(name) && Array.isArray(value) && typeof value[0] === 'object' ? [] : value,
  );
  return shortened.length <= MOST_CHARACTERS ? { text: shortened, isShortened: true } : null;
}

const packed = (documents: readonly object[], replacer?: (name: string, value: unknown) => unknown): string =>
  gzipSync(JSON.stringify(documents.length === 1 ? documents[0] : documents, replacer), {
    level: 9,
  }).toString('base64');
