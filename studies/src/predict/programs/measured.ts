/** One run of a program at a size: a server's slices of one generation, or a command. */
export interface ProgramRun {
  readonly size: number;
  readonly unitsMs: readonly number[];
  readonly perSecond: number | null;
  readonly makespanMs: number | null;
  readonly isOverloaded: boolean;
}

export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

export interface Runs {
  readonly measured: readonly ProgramRun[];
  /** Second runs of the baseline size. */
  readonly twins: readonly ProgramRun[];
}
