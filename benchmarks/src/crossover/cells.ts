import { SHAPES } from '../shapes/shapes.js';
import { ARMS, type ArmName } from './arms.js';

/** How long tasks compute, in microseconds. */
export const LENGTHS = [1, 10, 100, 1000, 10_000] as const;

const made = (name: string): unknown => SHAPES.find((shape) => shape.name === name)?.make();
const records = made('records-10kb') as unknown[];

/** What tasks get and give back. */
export const VALUES = [
  { name: '100 B', bytes: 100, value: records[0] },
  { name: '10 KB', bytes: 1e4, value: records },
  { name: '1 MB', bytes: 1e6, value: made('records-1mb') },
] as const;

export type ValueName = (typeof VALUES)[number]['name'];

/** One thing to compare: a length of tasks and a value. */
export interface Cell {
  readonly length: number;
  readonly value: (typeof VALUES)[number];
}

export const CELLS: readonly Cell[] = VALUES.flatMap((value) => LENGTHS.map((length) => ({ length, value })));

/** Of one window: tasks a second, and microseconds of CPU that the main thread spent on each. */
export interface Window {
  readonly rate: number;
  readonly hostUs: number;
}

/** All windows of a cell by who ran in them, block by block. */
export interface Measured {
  readonly value: ValueName;
  readonly length: number;
  readonly windows: Record<ArmName, Window[]>;
}

export const emptyMeasured = ({ value, length }: Cell): Measured => ({
  value: value.name,
  length,
  windows: Object.fromEntries(ARMS.map((name) => [name, []])) as unknown as Measured['windows'],
});
