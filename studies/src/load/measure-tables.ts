import { captureEnvironment, createRandom, PlimsollError, type Supervision } from '@plimsoll/lab';
import { analyseTable } from './analyse.js';
import type { MeasuredTable } from './measured-table.js';
import { methodOf, tablesOf } from './method.js';
import type { LoadPlan, LoadProgress, Table } from './options.js';
import type { RankedTable } from './recommend.js';
import type { LoadResult } from './result.js';
import { assertContinues, isFinished, tableToResume } from './resume.js';
import { measureTable } from './table-run.js';
import { runningServer, startCommand } from './target/command.js';
import type { LaunchContext } from './target/launch.js';
import { startSampleServer } from './target/sample.js';
import type { Target } from './target/target.js';

/** The result of a load without the sentences of its recommendations. */
export type MeasuredLoad = Omit<LoadResult, 'recommended'> & { readonly recommended: readonly RankedTable[] };

export interface LoadContext extends Supervision {
  readonly onProgress?: ((progress: LoadProgress) => void) | undefined;
  /** After every generation: the result so far. */
  readonly onResult?: ((result: MeasuredLoad) => void) | undefined;
}

const READY_MS = 30_000;
const TICK_MS = 1000;

/**
 * Load a server at every pool size, table by table: servers of all sizes live at the same time and take turns by slices of the
 * traffic, until it is known which size suits it, or the time is up. Servers that own their port are measured one at a time.
 *
 * A table that fails is part of the result (`failures`), with what was measured before. When `signal` aborts, what runs
 * is ended and the result holds the slices that were done (`method.interrupted`).
 *
 * @param earlier an interrupted result of the same options: its generations are not measured again.
 * @throws {PlimsollError} when nothing can be measured at all: no temporary directory.
 */
export async function measureTables(
  options: LoadPlan,
  context: LoadContext,
  earlier: LoadResult | null = null,
): Promise<MeasuredLoad> {
  const { guardian } = context;
  const directory = guardian.temporaryDirectory();
  const environment = captureEnvironment({ directory });
  guardian.remove(directory);
  if (earlier !== null) assertContinues(earlier, options, environment);
  return new LoadSession(options, context, environment, earlier).run();
}

class LoadSession {
  readonly #startedAt = new Date();
  readonly #tables: readonly Table[];
  readonly #measured = new Map<Table, MeasuredTable>();
  readonly #failures: LoadResult['failures'] = [];
  #under: { readonly table: Table; readonly since: number } | null = null;
  #progress: Pick<LoadProgress, 'generation' | 'known'> = { generation: 0, known: null };

  constructor(
    readonly options: LoadPlan,
    readonly context: LoadContext,
    readonly environment: LoadResult['environment'],
    readonly earlier: LoadResult | null,
  ) {
    this.#tables = tablesOf(options);
  }

  async run(): Promise<MeasuredLoad> {
    const tick = setInterval(() => this.#report(), TICK_MS);
    try {
      for (const table of this.#tables) {
        if (this.context.signal.aborted) break;
        await this.#measure(table);
      }
      return this.#result();
    } finally {
      clearInterval(tick);
    }
  }

  async #measure(table: Table): Promise<void> {
    const before = tableToResume(this.earlier, table);
    if (before !== null) this.#measured.set(table, before);
    if (before !== null && isFinished(before.outcome.stop)) return;
    this.#under = { table, since: performance.now() - (before?.seconds ?? 0) * 1000 };
    this.#progress = { generation: before?.outcome.generations ?? 0, known: null };
    this.#report();
    try {
      const measured = await measureTable(table, this.#contextOf(table), before);
      this.#measured.set(table, measured);
      if (measured.outcome.stop === 'failed') this.#fail(table, measured.outcome.error);
    } catch (error) {
      if (!this.context.signal.aborted) this.#fail(table, error);
    }
  }

  /** @throws what is no fault of the server's. */
  #fail(table: Table, error: unknown): void {
    // Every size but the baseline was lost: each with its reason.
    if (error === undefined) return;
    if (!(error instanceof PlimsollError)) throw error;
    const { code, message } = error;
    this.#failures.push({ mode: table.mode, case: table.traffic.name, code, message });
  }

  #contextOf(table: Table): Parameters<typeof measureTable>[1] {
    const { options, environment } = this;
    const { signal, guardian } = this.context;
    // One generator a table: a table that is taken over from an earlier result does not move the order of the next.
    const random = createRandom(options.seed + this.#tables.indexOf(table));
    const context = { guardian, random, signal };
    return {
      ...context,
      options,
      environment,
      start: (size) => this.#start(table, size, context),
      onGeneration: (until, known) => {
        this.#measured.set(table, until);
        this.#progress = { generation: until.outcome.generations, known };
        this.#report();
        this.context.onResult?.(this.#result(true));
      },
    };
  }

  #start(table: Table, size: number, context: LaunchContext): Promise<Target> {
    const { target, deadlineMs } = this.options;
    if (target.kind === 'url') return Promise.resolve(runningServer(target.url, target.bystander));
    if (target.kind === 'command')
      return startCommand({ ...target, size, readyMs: Math.min(READY_MS, deadlineMs) }, context);
    const { operation, operationsPerRequest } = target;
    const mode = table.mode as (typeof target.modes)[number];
    return startSampleServer(
      {
        mode,
        instances: table.instances,
        size,
        operation,
        operationsPerRequest,
        port: 0,
        wait: table.traffic.kind === 'open',
        readyMs: deadlineMs,
      },
      context,
    );
  }

  #report(): void {
    if (this.#under === null) return;
    const { table, since } = this.#under;
    const { mode, traffic } = table;
    const { timeMs } = this.options;
    const { generation } = this.#progress;
    const spentMs = performance.now() - since;
    const mostMs = timeMs ?? (generation === 0 ? null : (spentMs / generation) * this.options.blocks);
    const ofThis = mostMs === null ? 0 : Math.min(1, spentMs / mostMs);
    const share = (this.#tables.indexOf(table) + ofThis) / this.#tables.length;
    const leftMs = mostMs === null ? null : (1 - share) * this.#tables.length * mostMs;
    this.context.onProgress?.({ mode, case: traffic.name, ...this.#progress, share, leftMs });
  }

  #result(unfinished = this.context.signal.aborted): MeasuredLoad {
    const { options, earlier } = this;
    const analysed = [...this.#measured.values()].map((measured) => analyseTable(measured, options));
    const seconds = (Date.now() - this.#startedAt.getTime()) / 1000;
    return {
      schema: 'plimsoll/1',
      kind: 'load',
      environment: earlier?.environment ?? this.environment,
      method: {
        ...methodOf(options),
        startedAt: earlier?.method.startedAt ?? this.#startedAt.toISOString(),
        seconds: (earlier?.method.seconds ?? 0) + seconds,
        interrupted: unfinished,
      },
      tables: analysed.map(({ table }) => table),
      cells: analysed.flatMap(({ cells }) => cells),
      recommended: analysed.flatMap(({ recommendation }) => recommendation ?? []),
      failures: this.#failures,
    };
  }
}
