import { fileURLToPath } from 'node:url';
import { PlimsollError } from '../errors.js';
import type { Random } from '../stats/random.js';
import type { Guardian } from './guardian.js';
import { endOf, killGroup, type ProcessEnd, type Started, startGroup } from './process.js';

export interface Start {
  /** The process sends `{ type: 'started' }` over IPC, then answers each order. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export type Ending<Answer> =
  | { kind: 'answer'; answer: Answer }
  | ({ kind: 'exit'; started: boolean } & ProcessEnd)
  | { kind: 'deadline' }
  | { kind: 'aborted' };

type Exit = Extract<Ending<never>, { kind: 'exit' }>;

const ENTRY = fileURLToPath(new URL('./child/main.cjs', import.meta.url));

/** A process that counts its pool threads around their first use, then calls `serve` of a module (`serveJob`). */
export const serving = (
  module: URL,
  size: number,
  prefix: readonly string[] = [],
  env: Start['env'] = {},
): Start => ({
  command: [...prefix, process.execPath, ENTRY, module.href],
  env: { UV_THREADPOOL_SIZE: String(size), ...env },
});

export const sizeMismatch = (name: string, observedThreads: number, size: number): PlimsollError =>
  new PlimsollError(
    'PLIMSOLL_POOL_SIZE_MISMATCH',
    `${name}: the process had ${observedThreads} pool threads instead of ${size}; ` +
      'something that it loads (NODE_OPTIONS?) sets UV_THREADPOOL_SIZE or uses the pool first',
  );

/** A process that takes one order after another. `end` it in any case. */
export class LiveProcess<Answer extends { readonly type: string }> {
  readonly #child: Started;
  readonly #guardian: Guardian;
  readonly #started: Promise<void>;
  readonly #exited: Promise<Exit>;
  #answered: ((answer: Answer) => void) | null = null;
  /** A message without a request, sent when the process has failed. */
  #unasked: Answer | null = null;

  private constructor(child: Started, guardian: Guardian) {
    this.#child = child;
    this.#guardian = guardian;
    guardian.watch(child.pid);
    let isStarted = false;
    this.#started = new Promise((resolve) => {
      child.on('message', (answer: Answer) => {
        if (answer.type === 'started') {
          isStarted = true;
          resolve();
        } else if (this.#answered === null) this.#unasked ??= answer;
        else this.#answered(answer);
      });
    });
    this.#exited = endOf(child).then((end) => ({ kind: 'exit', started: isStarted, ...end }));
  }

  static async start<Answer extends { readonly type: string }>(
    { command, env }: Start,
    guardian: Guardian,
    random: Random,
  ): Promise<LiveProcess<Answer>> {
    const stdio = ['ignore', 'ignore', 'pipe', 'ipc'] as const;
    const child = await startGroup(command, env, [...stdio], random).catch((cause: Error) => {
      const text = `cannot start a process to measure in: ${cause.message}`;
      throw new PlimsollError('PLIMSOLL_WORKLOAD_FAILED', text, { cause });
    });
    return new LiveProcess<Answer>(child, guardian);
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Send an order as soon as the process has started, and wait for its answer. One at a time. */
  ask(order: object, deadlineMs: number, signal: AbortSignal): Promise<Ending<Answer>> {
    return new Promise((resolve) => {
      const deadline = setTimeout(() => finish({ kind: 'deadline' }), deadlineMs);
      const abort = (): void => finish({ kind: 'aborted' });
      const finish = (ending: Ending<Answer>): void => {
        clearTimeout(deadline);
        signal.removeEventListener('abort', abort);
        this.#answered = null;
        resolve(ending);
      };
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) return abort();
      if (this.#unasked !== null) return finish({ kind: 'answer', answer: this.#unasked });
      this.#answered = (answer) => finish({ kind: 'answer', answer });
      void this.#exited.then(finish);
      // When the channel closes under the order the process has ended, which `#exited` reports.
      void this.#started.then(() => this.#child.send(order, () => {}));
    });
  }

  async end(): Promise<void> {
    // The guardian keeps watching a process that cannot be ended.
    if (await killGroup(this.#child)) this.#guardian.forget(this.#child.pid);
  }
}
