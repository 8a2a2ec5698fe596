/** What a run passes to its workload. */
export interface RunContext {
  /** The counted pool size. */
  readonly size: number;
  /** An empty directory of this run, removed afterwards. */
  readonly directory: string;
  /** Host names to look up, in turn. */
  readonly names: readonly string[];
}

/** Takes the latency of one call in milliseconds, from its submission to its callback. */
type RecordLatency = (ms: number) => void;

/** Runs this many operations, and settles when all have completed. */
export type WorkRound = (operations: number, record: RecordLatency) => Promise<void>;

/** A workload that is ready to be measured. */
export interface ReadyWorkload {
  /** Operations of one round. */
  readonly operations: number;
  /** It must be measured in the only process, as when it owns a port. */
  readonly isolated: boolean;
  readonly round: WorkRound;
  close(): Promise<void>;
}

/** Record how long an operation took from its submission. */
export async function timed(record: RecordLatency, operation: () => Promise<unknown>): Promise<void> {
  const submitted = performance.now();
  await operation();
  record(performance.now() - submitted);
}
