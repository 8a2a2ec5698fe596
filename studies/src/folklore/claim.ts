import type { Table } from '../common/tables.js';
import type { Lab } from './lab.js';
import type { Cell, Counted, FolkloreResult } from './result.js';

/** `undecided`: the data cannot carry a verdict, or there is none. */
export type Verdict = 'true' | 'false' | 'depends' | 'undecided';

export interface Judgement {
  readonly verdict: Verdict;
  /** Markdown: what was seen, in a sentence or two. */
  readonly because: string;
}

/** Where a claim is made or asked about. */
export interface Source {
  readonly title: string;
  readonly url: string;
}

/** One thing that people say, and how it is decided. */
export interface Claim {
  readonly id: string;
  /** As people say it. */
  readonly says: string;
  readonly sources: readonly Source[];
  /** Markdown: what is done to decide it. */
  readonly how: string;
  /** Commands that decide it on any machine, beside `npm run study:folklore -- ID`. */
  readonly commands?: readonly string[];
  /** What is counted; absent where times decide. @throws {NotHere} */
  readonly observe?: (lab: Lab) => Promise<Counted>;
  /** What it needs beside that. */
  readonly needs?: 'bench' | 'reads';
  /** From the result alone. Called only when everything that it needs is there. */
  judge(counted: Counted, result: FolkloreResult): Judgement;
  /** Times that it rests on. */
  readonly table?: (result: FolkloreResult) => Table;
}

/** This machine does not let it be observed. */
export class NotHere extends Error {
  override readonly name = 'NotHere';
}

/** The cells of a case; empty when there is no such case. */
export const cellsOf = ({ rows }: Counted, name: string): readonly Cell[] =>
  rows.find((row) => row.case === name)?.cells ?? [];

/** Whether all cells of a case that were observed, and there are some, are this. */
export function isAll(counted: Counted, name: string, value: Cell): boolean {
  const cells = cellsOf(counted, name).filter((cell) => cell !== null);
  return cells.length > 0 && cells.every((cell) => cell === value);
}

/** Versions of Node for which a case is this. */
export const nodesWith = (counted: Counted, name: string, value: Cell): string[] =>
  counted.nodes.filter((_, index) => cellsOf(counted, name)[index] === value);

/** True, false, or undecided where the cells say neither. */
export const decided = (isTrue: boolean, isFalse: boolean): Verdict =>
  isTrue ? 'true' : isFalse ? 'false' : 'undecided';
