import { gzipSync } from 'node:zlib';

/** Of a page of at most 300 KB this much may be data. */
const MOST_CHARACTERS = 130_000;

/** Single rounds, jobs and spans: by far the most of a result. */
const DETAIL = new Set(['rounds', 'twinRounds', 'runs', 'generations', 'spans']);

const withoutDetail = (name: string, value: unknown): unknown =>
  DETAIL.has(name) && Array.isArray(value) && typeof value[0] === 'object' ? [] : value;

/** The documents for a page, without what the files hold that it was made from; `null` when even that is too much. */
export function embeddedData(documents: readonly object[]): string | null {
  const text = JSON.stringify(documents.length === 1 ? documents[0] : documents, withoutDetail);
  const packed = gzipSync(text, { level: 9 }).toString('base64');
  return packed.length <= MOST_CHARACTERS ? packed : null;
}
