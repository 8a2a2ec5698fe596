import type { LoadCell } from './result.js';

type Figure =
  | 'size'
  | 'operationMs'
  | 'completionMs'
  | 'cpuSeconds'
  | 'bystanderMs'
  | 'eventLoopDelayMs'
  | 'wallMs';

/** A cell of one pool size with every figure that the study speaks of. */
export type FilledCell = LoadCell & { readonly [Name in Figure]: NonNullable<LoadCell[Name]> };

export const isFilled = (cell: LoadCell): cell is FilledCell =>
  [
    cell.size,
    cell.operationMs,
    cell.completionMs,
    cell.cpuSeconds,
    cell.bystanderMs,
    cell.eventLoopDelayMs,
    cell.wallMs,
  ].every((figure) => figure !== null);
