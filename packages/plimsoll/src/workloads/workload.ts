/** What a workload gets from the run that it is part of. */
export interface RunContext {
  /** Pool size in force, counted, not merely asked for. */
  readonly size: number;
  /** An empty directory of this run's own; it is removed afterwards. */
  readonly directory: string;
  /** Host names to look up, in turn. */
  readonly names: readonly string[];
}

/** Takes the latency of one call in milliseconds, from its submission to its callback. */
export type RecordLatency = (ms: number) => void;

/** A workload that is ready to be measured. */
export interface PreparedWorkload {
  /** Do `operations` operations, all submitted as the workload describes, and settle when all are done. */
  round(operations: number, record: RecordLatency): Promise<void>;
  close(): Promise<void>;
}

/** Run `operation` for every index at once and record how long each took from its submission. */
export async function allAtOnce(
  operations: number,
  record: RecordLatency,
  operation: (index: number) => Promise<void>,
): Promise<void> {
  const timed = async (index: number): Promise<void> => {
    const submitted = performance.now();
    await operation(index);
    record(performance.now() - submitted);
  };
  await Promise.all(Array.from({ length: operations }, (_, index) => timed(index)));
}
