import { PlimsollError } from '../errors.js';
import { captureEnvironment } from '../host/environment.js';
import { type BlockRun, type BlocksOutcome, runBlocks } from '../lab/blocks.js';
import type { Supervision } from '../lab/guardian.js';
import type { LoadResult } from '../results/load.js';
import { createRandom } from '../stats/random.js';
import { analyseTable } from './analyse.js';
import { Estimate } from './estimate.js';
import { methodOf, tablesOf } from './method.js';
import { AS_IT_IS, type LoadPlan, type LoadProgress, type Table } from './options.js';
import type { RankedTable } from './recommend.js';
import { assertContinues, runsToResume } from './resume.js';
import { type LoadMeasurement, runLoad } from './run.js';
import { runningServer, startCommand } from './target/command.js';
import { findPm2 } from './target/pm2-installation.js';
import { startSampleServer } from './target/sample.js';
import type { Target } from './target/target.js';

/** The result of a load without the sentences of its recommendations. */
export type MeasuredLoad = Omit<LoadResult, 'recommended'> & { readonly recommended: readonly RankedTable[] };

export interface LoadContext extends Supervision {
  readonly onProgress?: ((progress: LoadProgress) => void) | undefined;
  /** After every run: the result so far. */
  readonly onResult?: ((result: MeasuredLoad) => void) | undefined;
}

const READY_MS = 30_000;
const TICK_MS = 1000;

/**
 * Load a server at every pool size, each run in fresh processes, table by table, and say which size suits it.
 *
 * A table that fails is part of the result (`failures`), with what was measured before. When `signal` aborts, what runs
 * is ended and the result holds the runs that were done (`method.interrupted`).
 *
 * @param earlier an interrupted result of the same options: its runs are not measured again.
 * @throws {PlimsollError} when nothing can be measured at all: PM2 missing, no temporary directory.
 */
export async function load(
  options: LoadPlan,
  context: LoadContext,
  earlier: LoadResult | null = null,
): Promise<MeasuredLoad> {
  const { target } = options;
  const { guardian } = context;
  if (target.kind === 'sample' && target.modes.some((mode) => mode.startsWith('pm2'))) findPm2();
  const directory = guardian.temporaryDirectory();
  const environment = captureEnvironment({ directory });
  guardian.remove(directory);
  if (earlier !== null) assertContinues(earlier, options, environment);
  return new LoadSession(options, context, environment, earlier).run();
}

class LoadSession {
  readonly #startedAt = new Date();
  readonly #tables: readonly Table[];
  readonly #runs = new Map<Table, BlockRun<LoadMeasurement>[]>();
  readonly #failures: LoadResult['failures'] = [];
  readonly #estimate: Estimate;
  #table: Table;
  #running: { readonly size: number; readonly block: number; readonly since: number } | null = null;

  constructor(
    readonly options: LoadPlan,
    readonly context: LoadContext,
    readonly environment: LoadResult['environment'],
    readonly earlier: LoadResult | null,
  ) {
    this.#tables = tablesOf(options);
    this.#table = this.#tables[0] as Table;
    const runs = options.blocks * (options.sizes.length + 1);
    this.#estimate = new Estimate(this.#tables.map(({ traffic }) => ({ traffic, runs })));
  }

  async run(): Promise<MeasuredLoad> {
    const tick = setInterval(() => this.#report(), TICK_MS);
    try {
      for (const table of this.#tables) {
        this.#table = table;
        const { error } = await this.#blocks(table);
        if (this.context.signal.aborted) break;
        if (error === undefined) continue;
        if (!(error instanceof PlimsollError)) throw error;
        const { code, message } = error;
        this.#failures.push({ mode: table.mode, case: table.traffic.name, code, message });
      }
      return this.#result();
    } finally {
      clearInterval(tick);
    }
  }

  #blocks(table: Table): Promise<BlocksOutcome<LoadMeasurement>> {
    const { options } = this;
    const { signal, guardian } = this.context;
    const { traffic } = table;
    const done: BlockRun<LoadMeasurement>[] = [];
    this.#runs.set(table, done);
    // One generator a table: a table that is taken over from an earlier result does not move the order of the next.
    const random = createRandom(options.seed + this.#tables.indexOf(table));
    return runBlocks<LoadMeasurement>({
      sizes: options.sizes,
      baseline: options.baseline,
      blocks: options.blocks,
      random,
      recorded: runsToResume(this.earlier, table),
      run: async (size, watch) => {
        const since = performance.now();
        const block = Math.floor(done.length / (options.sizes.length + 1));
        this.#running = { size, block: Math.min(block, options.blocks - 1), since };
        this.#report();
        const plan = {
          traffic,
          operationsPerRequest: options.target.kind === 'sample' ? options.target.operationsPerRequest : null,
          seed: options.seed,
          deadlineMs: options.deadlineMs,
          what: size === AS_IT_IS ? 'the server' : `size ${size}`,
        };
        const context = { guardian, random, signal };
        try {
          return await runLoad(plan, () => this.#open(table, size, context), watch, signal);
        } finally {
          this.#running = null;
          this.#estimate.ended(traffic, performance.now() - since);
        }
      },
      cpuSecondsOf: ({ cpuSeconds }) => cpuSeconds,
      onRun: (run) => {
        done.push(run);
        this.context.onResult?.(this.#result(true));
      },
    });
  }

  #open(table: Table, size: number, context: Parameters<typeof startCommand>[1]): Promise<Target> {
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
    const { blocks, sizes } = this.options;
    if (this.#running === null) return;
    const { size, block, since } = this.#running;
    const done = this.#tables.map((table) => this.#runs.get(table)?.length ?? 0);
    const planned = blocks * (sizes.length + 1);
    const state = this.#estimate.state(
      done.map((runs) => Math.min(runs, planned)),
      performance.now() - since,
    );
    const { mode, traffic } = this.#table;
    this.context.onProgress?.({ mode, case: traffic.name, size, block, blocks, ...state });
  }

  #result(unfinished = this.context.signal.aborted): MeasuredLoad {
    const { options, earlier } = this;
    const analysed = [...this.#runs].map(([table, runs]) => analyseTable(table, { runs }, options));
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
      cells: analysed.flatMap(({ cells }) => cells),
      recommended: analysed.flatMap(({ recommendation }) => recommendation ?? []),
      failures: this.#failures,
    };
  }
}
