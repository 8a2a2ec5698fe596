// Values in options, as plimsoll checks and reads its own: what is out of bounds is a PlimsollError PLIMSOLL_USAGE.
import { checkValue, readValue } from '@plimsoll/lab';

export const checkSize = (size: number, name: string): number =>
  checkValue({ kind: 'size' }, size, name) as number;

/** In ascending order, without repetitions. */
export const checkSizes = (sizes: readonly number[]): number[] =>
  checkValue({ kind: 'sizes' }, sizes, 'sizes') as number[];

export const checkCount = (value: number, name: string, least: number, most?: number): number =>
  checkValue({ kind: 'count', least, ...(most === undefined ? {} : { most }) }, value, name) as number;

export const checkPositive = (value: number, name: string, most?: number): number =>
  checkValue({ kind: 'number', ...(most === undefined ? {} : { most }) }, value, name) as number;

export const checkUrl = (value: string | URL, name: string): URL =>
  new URL(checkValue({ kind: 'url' }, value, name) as string);

export const parseCount = (text: string, name: string, least: number, most: number): number =>
  readValue({ kind: 'count', least, most }, [text], name) as number;

export const parsePositive = (text: string, name: string, most: number): number =>
  readValue({ kind: 'number', most }, [text], name) as number;

export const parseSize = (text: string, name: string): number =>
  readValue({ kind: 'size' }, [text], name) as number;

export const parseSizes = (text: string): number[] =>
  readValue({ kind: 'sizes' }, [text], '--sizes') as number[];
