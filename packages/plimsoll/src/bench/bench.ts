import { PlimsollError } from '../errors.js';
import { captureEnvironment, type Environment } from '../host/environment.js';
import { alternate, type Contestant } from '../lab/alternating.js';
import { GenerationWatch } from '../lab/generation-watch.js';
import { groupsThatFit, roomOf } from '../lab/groups.js';
import type { Supervision } from '../lab/guardian.js';
import { MeasuringProcess } from '../lab/measuring-process.js';
import type { Measurement } from '../lab/messages.js';
import { type ChosenResolver, openResolver } from '../lab/resolver/open.js';
import type { BenchResult, WorkloadResult } from '../results/bench.js';
import { FIRST_LOOK } from '../stats/looks.js';
import { LEVEL } from '../stats/paired-comparison.js';
import { createRandom } from '../stats/random.js';
import { analyseWorkload, compareRounds, failedWorkload } from './analyse.js';
import type { BenchPlan, BenchProgress, ChosenWorkload } from './options.js';
import { type Pilot, planRounds } from './pilot.js';

export interface BenchContext extends Supervision {
  readonly onProgress?: ((progress: BenchProgress) => void) | undefined;
}

type Method = BenchResult['method'];

/** What was measured; the sentences about it are composed above. */
export interface Measured extends Omit<BenchResult, 'findings' | 'method'> {
  readonly method: Omit<Method, 'dns'> & {
    readonly dns: Omit<NonNullable<Method['dns']>, 'because'> | null;
  };
}

/**
 * Measure every workload at every pool size, in live processes that take turns by short rounds, and say which size suits it.
 *
 * A workload that fails is part of the result (`failure`), with what was measured before. When `signal` aborts, the
 * processes are ended and the result holds the complete blocks (`method.interrupted`).
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
    const workloads = await new BenchSession(options, context, { directory, resolver, environment }).run();
    return {
      schema: 'plimsoll/1',
      kind: 'bench',
      environment,
      method: {
        mode: options.isolated ? 'isolated' : 'alternating',
        timeMs: options.timeMs,
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
      workloads,
    };
  } finally {
    await resolver?.close();
    guardian.remove(directory);
  }
}

interface Place {
  readonly directory: string;
  readonly resolver: ChosenResolver | null;
  readonly environment: Environment;
}

/** One call of `bench`: workload by workload. */
class BenchSession {
  readonly #random;
  #done = 0;

  constructor(
    readonly options: BenchPlan,
    readonly context: BenchContext,
    readonly place: Place,
  ) {
    this.#random = createRandom(options.seed);
  }

  async run(): Promise<WorkloadResult[]> {
    const results: WorkloadResult[] = [];
    for (const workload of this.options.workloads) {
      const result = await this.#measure(workload);
      if (result === null) break;
      results.push(result);
      this.#done++;
      if (this.context.signal.aborted || result.failure?.code === 'PLIMSOLL_POOL_NOT_CREATED') break;
    }
    return results;
  }

  /** `null`: it was interrupted before anything of it was measured. */
  async #measure(workload: ChosenWorkload): Promise<WorkloadResult | null> {
    const started = performance.now();
    try {
      const pilot = await this.#pilot(workload);
      return await this.#alternate(workload, pilot, started);
    } catch (error) {
      if (this.context.signal.aborted) return null;
      if (error instanceof PlimsollError) return failedWorkload(workload, error);
      throw error;
    }
  }

  /** A trial run of the baseline with nothing beside it. */
  async #pilot(workload: ChosenWorkload): Promise<Pilot> {
    this.#report(workload, { generation: 0, known: null }, 0);
    const started = performance.now();
    const single = await this.#open(workload, this.options.baseline);
    try {
      const openMs = performance.now() - started;
      const { operations, unloadedLatencyMs, isolated } = single.readiness;
      const { workMs, maxRssBytes } = await single.round(1);
      await single.close();
      return { openMs, workMs, operations, unloadedLatencyMs, isolated, rssBytes: maxRssBytes };
    } finally {
      await single.end();
    }
  }

  async #alternate(workload: ChosenWorkload, pilot: Pilot, started: number): Promise<WorkloadResult> {
    const { options } = this;
    const { sizes, baseline, timeMs, blocks, seed } = options;
    const isolated = options.isolated || pilot.isolated;
    const rounds = planRounds(pilot, { arms: sizes.length + 1, timeMs, isolated, blocks });
    const groups = isolated
      ? [sizes.filter((size) => size !== baseline)]
      : groupsThatFit(sizes, baseline, roomOf(this.place.environment.limits), pilot.rssBytes);
    const observedThreads = new Map<number, number | null>();
    const machine = new GenerationWatch();
    const spent = (): number => performance.now() - started;

    const open = async (arm: number | 'twin'): Promise<Contestant<Measurement>> => {
      const size = arm === 'twin' ? baseline : arm;
      const live = await this.#open(workload, size);
      observedThreads.set(size, live.readiness.observedThreads);
      return {
        round: async () => {
          const measurement = await live.round(rounds.repetitions);
          machine.used(live.pid, measurement.totalCpuSeconds);
          return measurement;
        },
        close: () => live.close(),
        end: () => live.end(),
      };
    };
    const outcome = await alternate<Measurement>({
      groups,
      baseline,
      blocks: rounds.blocks,
      mostGenerations: rounds.mostGenerations,
      isolated,
      random: this.#random,
      signal: this.context.signal,
      open,
      hasTime: (generationMs) => timeMs === null || spent() + generationMs <= timeMs,
      isSettled: (until) => {
        machine.look();
        const known = compareRounds(until, { sizes, baseline, seed }, rounds.mostGenerations);
        this.#report(workload, { generation: until.generations, known }, spent());
        // One size alone is compared with nothing but its twin.
        return (sizes.length === 1 && until.generations >= FIRST_LOOK) || (known?.settled ?? false);
      },
    });
    if (outcome.error !== undefined && !(outcome.error instanceof PlimsollError) && outcome.stop === 'failed')
      throw outcome.error;
    const { disturbances } = machine;
    const seconds = spent() / 1000;
    return analyseWorkload(
      { workload, isolated, pilot, rounds, groups, outcome, observedThreads, disturbances, seconds },
      options,
    );
  }

  #open(workload: ChosenWorkload, size: number): Promise<MeasuringProcess> {
    const resolver = workload.usesDns ? this.place.resolver : null;
    return MeasuringProcess.open(
      {
        spec: workload.spec,
        size,
        directory: this.place.directory,
        names: resolver?.names ?? [],
        prefix: resolver?.prefix ?? [],
        deadlineMs: this.options.deadlineMs,
      },
      this.context,
      this.#random,
    );
  }

  #report(
    { name }: ChosenWorkload,
    { generation, known }: Pick<BenchProgress, 'generation' | 'known'>,
    spentMs: number,
  ): void {
    const { timeMs, workloads } = this.options;
    const ofThis = timeMs === null ? 0 : Math.min(1, spentMs / timeMs);
    const share = (this.#done + ofThis) / workloads.length;
    const leftMs = timeMs === null ? null : (1 - share) * workloads.length * timeMs;
    this.context.onProgress?.({ workload: name, generation, known, share, leftMs });
  }
}
