// Values in options, as plimsoll checks and reads its own: what is out of bounds is a PlimsollError PLIMSOLL_USAGE.
import { checkValue, readValue, usage } from '@plimsoll/lab';

export const checkSize = (size: number, name: string): number =>
  checkValue({ kind: 'size' }, size, name) as number;

/** In ascending order, without repetitions. */
export const checkSizes = (sizes: readonly number[]): number[] =>
  checkValue({ kind: 'sizes' }, sizes, 'sizes') as number[];

export const checkCount = (value: number, name: string, least: number, most?: number): number =>
  checkValue({ kind: 'count', least, ...(most === undefined ? {} : { most }) }, value, name) as number;

export const checkPositive = (value: number, name: string, most?: number): number =>
  checkValue({ kind: 'number', ...(most === undefined ? {} : { most }) }, value, name) as number;

export function checkUrl(value: string | URL, name: string): URL {
  if (URL.canParse(String(value)) && /^https?:/.test(new URL(value).protocol)) return new URL(value);
  throw usage(`${name}: must be a URL such as http://127.0.0.1:3000/path, not ${JSON.stringify(value)}`);
}

export const parseCount = (text: string, name: string, least: number, most: number): number =>
  readValue({ kind: 'count', least, most }, [text], name) as number;

export const parsePositive = (text: string, name: string, most: number): number =>
  readValue({ kind: 'number', most }, [text], name) as number;

export const parseSize = (text: string, name: string): number =>
  readValue({ kind: 'size' }, [text], name) as number;

export const parseSizes = (text: string): number[] =>
  readValue({ kind: 'sizes' }, [text], '--sizes') as number[];
