import type { EventLoopDelay } from '@plimsoll/lab';

/** What a target did between `begin` and the end of its work. */
export interface TargetMeasurement {
  /** Latency of each operation from the start of its request, in milliseconds; `null`: a server that is not ours. */
  readonly operationsMs: readonly number[] | null;
  readonly operationFailures: number;
  readonly firstFailure: string | null;
  /** When each of them ended, in milliseconds since the epoch. */
  readonly endedAt: readonly number[] | null;
  /** Of all its processes together; `null` when it cannot be known. */
  readonly cpuSeconds: number | null;
  readonly maxRssBytes: number | null;
  /** Of the process with the latest event loop. */
  readonly eventLoopDelayMs: EventLoopDelay | null;
  /** Processes that ended by themselves meanwhile. */
  readonly died: number;
  /** Pool threads of each process; `null` where they cannot be counted. */
  readonly observedThreads: readonly (number | null)[];
  readonly problems: readonly string[];
}

/** A server that is running and answers. */
export interface Target {
  /** What the traffic asks for. */
  readonly url: URL;
  /** The trivial request beside it; `null` for none. */
  readonly bystander: URL | null;
  /** Settles when a process of it has died; never for a server whose processes are not watched. */
  readonly died: Promise<void>;
  /** Count from now on. It may be asked again after `finish`. */
  begin(): void;
  /** Wait until what was started is done, and say what it took; it rests then until the next `begin`. */
  finish(): Promise<TargetMeasurement>;
  /**
   * Stop it and whatever belongs to it, by force if need be.
   *
   * @returns a mark when it had to be forced.
   */
  close(): Promise<string | null>;
}
