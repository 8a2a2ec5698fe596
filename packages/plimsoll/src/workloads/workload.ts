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
type RecordLatency = (ms: number) => void;

/** Does so many operations, all submitted as the workload describes, and settles when all are done. */
export type WorkRound = (operations: number, record: RecordLatency) => Promise<void>;

/** A workload that is ready to be measured. */
export interface ReadyWorkload {
  /** Operations of one round. */
  readonly operations: number;
  /** It must be measured in a process that is the only one: it owns a port, say. */
  readonly isolated: boolean;
  readonly round: WorkRound;
  close(): Promise<void>;
}

/** Record how long an operation took from its submission. */
export async function timed(record: RecordLatency, operation: () => Promise<void>): Promise<void> {
  const submitted = performance.now();
  await operation();
  record(performance.now() - submitted);
}

/** Run `operation` for every index at once and record each. */
export async function allAtOnce(
  operations: number,
  record: RecordLatency,
  operation: (index: number) => Promise<void>,
): Promise<void> {
  await Promise.all(Array.from({ length: operations }, (_, index) => timed(record, () => operation(index))));
}
