import type { Environment } from '@plimsoll/lab';
import type { ContenderName } from './contenders.js';

/** `null`: works; else the reason why not. */
export type Cell = string | null;

export interface RowResult {
  readonly group: string;
  readonly name: string;
  readonly line: number;
  /** Of Node. */
  readonly version: string;
  readonly packages: Readonly<Record<string, string>>;
  readonly cells: Readonly<Partial<Record<ContenderName, Cell>>>;
}

export interface SetupsResult {
  readonly schema: 'plimsoll/1';
  readonly kind: 'setups';
  readonly measuredAt: string;
  readonly environment: Environment;
  readonly versions: Readonly<Record<string, string>>;
  readonly rows: readonly RowResult[];
}

type Key = Pick<RowResult, 'group' | 'name' | 'line'>;

export const sameRow = (one: Key, other: Key): boolean =>
  one.group === other.group && one.name === other.name && one.line === other.line;
