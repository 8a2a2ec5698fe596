import { availableParallelism } from 'node:os';
import type { Arm } from '../contest/block-order.js';
import { ArmLost, contest, type Outcome, type Standing } from '../contest/contest.js';
import { blocksWorth, fitGenerations, type GenerationsFit } from '../contest/fit.js';
import { PlimsollError } from '../errors.js';
import type { Supervision } from '../lab/guardian.js';
import type { BenchResult } from '../results/bench.js';
import type { Random } from '../stats/random.js';
import type { WorkloadSpec } from '../workloads/prepare.js';
import { type MeasuringProcess, type MeasuringRequest, openMeasuringProcess } from './measuring-process.js';
import type { Measurement } from './messages.js';

type Mode = BenchResult['method']['mode'];

export interface PoolArm {
  readonly spec: WorkloadSpec;
  readonly size: number;
  readonly process: string;
}

export interface PoolsPlan<Id extends string | number> {
  readonly ids: readonly Id[];
  readonly baseline: Id;
  armOf(id: Arm<Id>): PoolArm;
  readonly isolated: boolean;
  readonly timeMs: number | null;
  readonly blocks: number;
  readonly process: Pick<MeasuringRequest, 'directory' | 'names' | 'prefix' | 'deadlineMs'>;
  readonly random: Random;
  judge(outcome: Outcome<Measurement, Id>, spentMs: number): Standing<Id> & { readonly between: number };
}

export interface PoolsOutcome<Id extends string | number> {
  readonly mode: Mode;
  readonly fixed: string | null;
  readonly operations: number;
  readonly unloadedLatencyMs: number;
  readonly rounds: GenerationsFit & { readonly repetitions: number };
  readonly outcome: Outcome<Measurement, Id>;
  readonly seconds: number;
}

/** Long against a scheduler's slice, short against what disturbs a machine. */
const ROUND_MS = 50;
const ISOLATED_ROUND_MS = 1000;
const MOST_REPETITIONS = 500;
const MOST_GENERATIONS = 100;
/** To resize the pool, sync the directory and answer. */
const BETWEEN_ROUNDS_MS = 4;

/**
 * Compare kinds of work at pool sizes on this machine: a trial run of the baseline says how often the work fits into a round, how
 * many blocks into a generation, and whether a process can have all sizes.
 */
export async function contestPools<Id extends string | number>(
  plan: PoolsPlan<Id>,
  { guardian, signal }: Supervision,
): Promise<PoolsOutcome<Id>> {
  const startedMs = performance.now();
  const { ids, baseline, isolated: isAlone, timeMs, random } = plan;
  const arms: readonly Arm<Id>[] = [...ids, 'twin'];
  const { spec, size: baseSize } = plan.armOf(baseline);
  const resizes = !isAlone && arms.some((arm) => plan.armOf(arm).size !== baseSize);
  // With one thread nothing would show whether threads can be parked.
  const size = resizes ? Math.max(2, baseSize) : baseSize;
  const request = { ...plan.process, spec, size, resizes };
  const trial = await openMeasuringProcess(request, { guardian, signal }, random);
  const openMs = performance.now() - startedMs;
  const { fixed, isolated: asksToBeAlone, operations, unloadedLatencyMs } = trial.readiness;
  const { workMs } = await trial.round(1, baseSize).catch(async (error: unknown) => {
    await trial.end();
    throw error;
  });
  await trial.close();
  const mode = isAlone || asksToBeAlone ? 'isolated' : fixed === null ? 'resized' : 'alternating';
  const rounds = planRounds({ openMs, workMs }, mode, arms.length, plan);
  const outcome = await contest<Measurement, Id>({
    ...{ ids, baseline, ...rounds, timeMs, startedMs, random, signal },
    isolated: mode === 'isolated',
    processOf: (arm) => (mode === 'resized' ? plan.armOf(arm).process : String(arm)),
    open: async (some) => {
      const live = await openFor(some, mode === 'resized', plan, { guardian, signal });
      return { ...live, round: (arm) => live.round(rounds.repetitions, plan.armOf(arm).size) };
    },
    judge: (until) => {
      const { between, ...standing } = plan.judge(until, performance.now() - startedMs);
      return { ...standing, blocks: blocksWorth(rounds, between) };
    },
  });
  const { error, stop } = outcome;
  if (stop === 'failed' && error !== undefined && !(error instanceof PlimsollError)) throw error;
  const seconds = (performance.now() - startedMs) / 1000;
  return { mode, fixed, operations, unloadedLatencyMs, rounds, outcome, seconds };
}

async function openFor<Id extends string | number>(
  arms: readonly Arm<Id>[],
  mayResize: boolean,
  plan: PoolsPlan<Id>,
  supervision: Supervision,
): Promise<MeasuringProcess> {
  const largest = arms.reduce((a, b) => (plan.armOf(b).size > plan.armOf(a).size ? b : a));
  const { spec, size } = plan.armOf(largest);
  // One size needs no resizing.
  const resizes = mayResize && arms.some((arm) => plan.armOf(arm).size !== size);
  try {
    return await openMeasuringProcess({ ...plan.process, spec, size, resizes }, supervision, plan.random);
  } catch (error) {
    const isTooLarge = error instanceof PlimsollError && error.code === 'PLIMSOLL_POOL_NOT_CREATED';
    throw isTooLarge && resizes ? new ArmLost(largest, error) : error;
  }
}

function planRounds(
  { openMs, workMs }: { readonly openMs: number; readonly workMs: number },
  mode: Mode,
  arms: number,
  { timeMs, blocks }: Pick<PoolsPlan<never>, 'timeMs' | 'blocks'>,
): PoolsOutcome<never>['rounds'] {
  const wanted = mode === 'isolated' ? ISOLATED_ROUND_MS : ROUND_MS;
  const repetitions = Math.min(MOST_REPETITIONS, Math.max(1, Math.round(wanted / workMs)));
  const aroundMs = mode === 'resized' ? openMs : openMs * Math.max(1, arms / availableParallelism());
  const blockMs = arms * (repetitions * workMs + BETWEEN_ROUNDS_MS);
  if (mode === 'isolated' || timeMs === null)
    return { repetitions, blocks: 1, mostGenerations: blocks, aroundMs, blockMs };
  const fit = fitGenerations({ timeMs, aroundMs, blockMs, isShared: mode === 'resized' });
  // Where the data ask for shorter ones there are more; the time ends it.
  return { ...fit, repetitions, mostGenerations: MOST_GENERATIONS };
}
