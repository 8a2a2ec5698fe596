import { PlimsollError } from '../errors.js';
import { captureEnvironment } from '../host/environment.js';
import { type BlocksOutcome, runBlocks } from '../lab/blocks.js';
import type { Supervision } from '../lab/guardian.js';
import type { Measurement } from '../lab/messages.js';
import { type ChosenResolver, openResolver } from '../lab/resolver/open.js';
import { runInFreshProcess } from '../lab/run-process.js';
import type { BenchResult, WorkloadResult } from '../results/bench.js';
import { createRandom } from '../stats/random.js';
import { analyseWorkload, failedWorkload } from './analyse.js';
import type { BenchPlan, BenchProgress, ChosenWorkload } from './options.js';

const LEVEL = 0.95;
const MOST_ROUNDS = 500;

/** What a pilot run says about the runs to come. */
interface Pilot {
  /** Measured rounds of every run. */
  readonly rounds: number;
  /** How long one run is likely to take from start to end, in milliseconds. */
  readonly expectedMs: number;
}

export interface BenchContext extends Supervision {
  readonly onProgress?: ((progress: BenchProgress) => void) | undefined;
}

/** A workload on its way: what the pilot found, or how it failed. */
interface Candidate {
  readonly workload: ChosenWorkload;
  readonly pilot: Pilot | null;
  readonly error: unknown;
}

type Method = BenchResult['method'];

/** What was measured; the sentences about it are composed above. */
export interface Measured extends Omit<BenchResult, 'findings' | 'method'> {
  readonly method: Omit<Method, 'dns'> & {
    readonly dns: Omit<NonNullable<Method['dns']>, 'because'> | null;
  };
}

/**
 * Measure every workload at every pool size, each run in a fresh process, and say which size suits it.
 *
 * A workload that fails is part of the result (`failure`), with what was measured before. When `signal` aborts, the
 * current process is ended and the result holds the complete blocks (`method.interrupted`).
 *
 * @throws {PlimsollError} when nothing can be measured at all: no temporary directory, no resolver.
 */
export async function bench(options: BenchPlan, context: BenchContext): Promise<Measured> {
  const { guardian, signal } = context;
  const startedAt = new Date();
  const directory = guardian.temporaryDirectory();
  const environment = captureEnvironment({ directory });
  const resolver = options.workloads.some(({ usesDns }) => usesDns)
    ? await openResolver(options.dns, guardian)
    : null;
  try {
    const session = new BenchSession(options, context, directory, resolver);
    const workloads = await session.run();
    const noises = workloads.flatMap(({ noise }) => noise ?? []);
    return {
      schema: 'plimsoll/1',
      kind: 'bench',
      environment,
      method: {
        blocks: options.blocks,
        baseline: options.baseline,
        sizes: [...options.sizes],
        seed: options.seed,
        level: LEVEL,
        dns: resolver && {
          mode: resolver.mode,
          delayMs: resolver.delayMs,
          description: resolver.description,
          requested: resolver.requested,
          refused: [...resolver.refused],
        },
        startedAt: startedAt.toISOString(),
        seconds: (Date.now() - startedAt.getTime()) / 1000,
        interrupted: signal.aborted,
      },
      noise: noises.toSorted((a, b) => b.threshold - a.threshold)[0] ?? null,
      workloads,
    };
  } finally {
    await resolver?.close();
    guardian.remove(directory);
  }
}

/** One call of `bench`: pilots first, so that the time left is known, then workload by workload. */
class BenchSession {
  readonly #random;
  #doneMs = 0;
  #expectedMs = 0;

  constructor(
    readonly options: BenchPlan,
    readonly context: BenchContext,
    readonly directory: string,
    readonly resolver: ChosenResolver | null,
  ) {
    this.#random = createRandom(options.seed);
  }

  async run(): Promise<WorkloadResult[]> {
    const candidates: Candidate[] = [];
    for (const workload of this.options.workloads) {
      const candidate = await this.#pilot(workload);
      candidates.push(candidate);
      if (isFatal(candidate.error)) break;
    }
    const runs = (this.options.sizes.length + 1) * this.options.blocks;
    this.#expectedMs = candidates.reduce((sum, { pilot }) => sum + (pilot?.expectedMs ?? 0) * runs, 0);

    const results: WorkloadResult[] = [];
    let fatal: unknown = candidates.find(({ error }) => isFatal(error))?.error;
    for (const { workload, pilot, error } of candidates) {
      if (pilot === null) {
        if (error instanceof PlimsollError) results.push(failedWorkload(workload, error));
        continue;
      }
      if (fatal !== undefined) continue;
      const outcome = await this.#blocks(workload, pilot);
      if (isFatal(outcome.error)) fatal = outcome.error;
      results.push(analyseWorkload({ workload, rounds: pilot.rounds, outcome, options: this.options }));
    }
    return results;
  }

  async #pilot(workload: ChosenWorkload): Promise<Candidate> {
    const { baseline, runMs } = this.options;
    try {
      const started = performance.now();
      const measurement = await this.#measure(workload, baseline, 1);
      const pilot = planRounds(measurement, performance.now() - started, runMs);
      this.#report(workload, 'pilot', baseline, measurement, 0);
      return { workload, pilot, error: undefined };
    } catch (error) {
      if (!(error instanceof PlimsollError) && !this.context.signal.aborted) throw error;
      return { workload, pilot: null, error };
    }
  }

  async #blocks(workload: ChosenWorkload, pilot: Pilot): Promise<BlocksOutcome<Measurement>> {
    const { options } = this;
    const outcome = await runBlocks<Measurement>({
      sizes: options.sizes,
      baseline: options.baseline,
      blocks: options.blocks,
      random: this.#random,
      run: (size) => this.#measure(workload, size, pilot.rounds),
      cpuSecondsOf: ({ totalCpuSeconds }) => totalCpuSeconds,
      onRun: ({ arm, result, block }) => {
        this.#doneMs += pilot.expectedMs;
        this.#report(workload, 'blocks', arm === 'twin' ? options.baseline : arm, result, block);
      },
    });
    if (
      outcome.error !== undefined &&
      !(outcome.error instanceof PlimsollError) &&
      !this.context.signal.aborted
    )
      throw outcome.error;
    return outcome;
  }

  #measure(workload: ChosenWorkload, size: number, rounds: number): Promise<Measurement> {
    const resolver = workload.usesDns ? this.resolver : null;
    return runInFreshProcess(
      {
        spec: workload.spec,
        size,
        rounds,
        directory: this.directory,
        names: resolver?.names ?? [],
        prefix: resolver?.prefix ?? [],
        deadlineMs: this.options.deadlineMs,
      },
      this.context.guardian,
      this.#random,
      this.context.signal,
    );
  }

  #startedBlocks: number | null = null;

  #report(
    workload: ChosenWorkload,
    stage: 'pilot' | 'blocks',
    size: number,
    { roundMs }: Measurement,
    block: number,
  ): void {
    if (stage === 'blocks') this.#startedBlocks ??= performance.now();
    const share = this.#expectedMs === 0 ? 0 : Math.min(1, this.#doneMs / this.#expectedMs);
    this.context.onProgress?.({
      workload: workload.name,
      stage,
      size,
      roundMs,
      block,
      blocks: this.options.blocks,
      share,
      leftMs: stage === 'pilot' ? null : this.#leftMs(share),
    });
  }

  /** The pilots' estimate, corrected by how long the runs so far really took. */
  #leftMs(share: number): number {
    const spent = performance.now() - (this.#startedBlocks ?? performance.now());
    const planned = this.#expectedMs * (1 - share);
    return spent < 3000 ? planned : Math.min(planned * 3, (spent / share) * (1 - share));
  }
}

/**
 * Fix the work of every run of a workload from one run at the baseline: as many rounds as take `runMs`, at least one.
 *
 * @param wallMs time of the whole pilot process, which did one measured round.
 */
function planRounds({ roundMs }: Measurement, wallMs: number, runMs: number): Pilot {
  const rounds = Math.min(MOST_ROUNDS, Math.max(1, Math.ceil(runMs / roundMs)));
  return { rounds, expectedMs: wallMs + (rounds - 1) * roundMs };
}

/** Errors that every other workload would meet too. */
function isFatal(error: unknown): boolean {
  if (error === undefined) return false;
  if (error instanceof PlimsollError) return error.code === 'PLIMSOLL_POOL_NOT_CREATED';
  return true;
}
