import type { Outcome } from '@plimsoll/lab';
import type { Table } from './options.js';
import type { LoadMeasurement } from './slice.js';
import type { SlicesPlan } from './slices.js';

/** A table as far as it has been measured. */
export interface MeasuredTable {
  readonly table: Table;
  readonly isolated: boolean;
  readonly slices: SlicesPlan;
  readonly outcome: Outcome<LoadMeasurement>;
  readonly seconds: number;
}
