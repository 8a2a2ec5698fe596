import { watchLoopDelay } from '@plimsoll/lab/child';
import type { PreparedOperation } from '../operation-spec.js';
import type { WorkerMeasurement } from './messages.js';

/** Does a request's operations and measures each from the start of the request. */
export class RequestMeter {
  readonly #operation: PreparedOperation;
  readonly #perRequest: number;
  #pending = 0;
  #whenIdle: (() => void) | null = null;
  #run = begin();

  constructor(operation: PreparedOperation, operationsPerRequest: number) {
    this.#operation = operation;
    this.#perRequest = operationsPerRequest;
  }

  /** Start all operations of one request; settles when the last one has ended, and never rejects. */
  async request(): Promise<void> {
    const run = this.#run;
    run.requests++;
    const started = performance.now();
    await Promise.all(Array.from({ length: this.#perRequest }, () => this.#one(run, started)));
  }

  async #one(run: Run, started: number): Promise<void> {
    this.#pending++;
    try {
      await this.#operation.run();
      const ended = performance.now();
      run.latenciesMs.push(ended - started);
      run.endedAt.push(performance.timeOrigin + ended);
    } catch (error) {
      run.failures++;
      run.firstFailure ??= error instanceof Error ? error.message : String(error);
    }
    if (--this.#pending === 0) this.#whenIdle?.();
  }

  /** Count from now on. */
  begin(): void {
    this.#run.delay.stop();
    this.#run = begin();
  }

  /** Watch the event loop no longer, until the next `begin`. */
  rest(): void {
    this.#run.delay.stop();
  }

  /** Wait for the operations that are under way, then say what has been measured since `begin`. */
  async finish(): Promise<WorkerMeasurement> {
    if (this.#pending > 0)
      await new Promise<void>((resolve) => {
        this.#whenIdle = resolve;
      });
    this.#whenIdle = null;
    const { requests, latenciesMs, failures, firstFailure, endedAt, cpu, delay } = this.#run;
    return {
      requests,
      latenciesMs,
      failures,
      firstFailure,
      endedAt,
      cpuSeconds: seconds(process.cpuUsage(cpu)),
      maxRssBytes: process.resourceUsage().maxRSS * 1024,
      eventLoopDelayMs: delay.stop(),
    };
  }
}

const begin = () => ({
  requests: 0,
  latenciesMs: [] as number[],
  failures: 0,
  firstFailure: null as string | null,
  endedAt: [] as number[],
  cpu: process.cpuUsage(),
  delay: watchLoopDelay(),
});

type Run = ReturnType<typeof begin>;

const seconds = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1e6;
