import { availableParallelism } from 'node:os';
import {
  type Arm,
  type Contestant,
  contest,
  fitGenerations,
  type GenerationsFit,
  type Outcome,
  type Random,
} from '@plimsoll/lab';
import type { ConditionResult, GenerationColumns } from './result.js';
import type { RoundYield } from './rounds.js';

/** What was measured, and how. */
export type Turns = Pick<ConditionResult, 'method' | 'disturbances' | 'lost' | 'failure' | 'generations'>;

export interface TurnsPlan {
  /** The baseline among them. */
  readonly contenders: readonly string[];
  readonly baseline: string;
  readonly isolated: boolean;
  readonly timeMs: number;
  readonly random: Random;
  readonly signal: AbortSignal;
  open(contender: string): Promise<Contestant<RoundYield, string>>;
  /** Asked after each generation. */
  isSettled(until: Turns): boolean;
  onRound(generation: number, contender: string): void;
}

/** More digits are noise, and make results large. */
const KEPT_DIGITS = 4;

/**
 * Give contenders and the baseline's twin short rounds in turn, in several generations of processes, for so much time or until it
 * is settled. A contender that fails is out with its reason.
 *
 * @throws {DOMException} AbortError when it was interrupted.
 */
export async function takeTurns(plan: TurnsPlan): Promise<Turns> {
  const { contenders, baseline, isolated, timeMs, signal, random } = plan;
  const startedMs = performance.now();
  let fit: Pick<GenerationsFit, 'blocks' | 'mostGenerations'> = { blocks: 1, mostGenerations: 1 };
  const turnsOf = (outcome: Outcome<RoundYield, string>): Turns => ({
    method: {
      mode: isolated ? 'isolated' : 'alternating',
      seconds: timeMs / 1000,
      tookSeconds: Math.round((performance.now() - startedMs) / 1000),
      ...{ blocks: fit.blocks, mostGenerations: fit.mostGenerations, generations: outcome.generations },
      rounds: outcome.rounds.filter(({ arm }) => arm === 'twin').length,
      looks: outcome.looks.length,
      stop: outcome.stop,
    },
    disturbances: outcome.disturbances,
    lost: [...outcome.lost].map(([contender, reason]) => ({ contender, reason: said(reason) })),
    failure: outcome.error === undefined ? null : said(outcome.error),
    generations: columnsOf(outcome),
  });
  try {
    fit = await tryOut(plan);
  } catch (error) {
    signal.throwIfAborted();
    return turnsOf(failed(error));
  }
  const outcome = await contest<RoundYield, string>({
    ids: contenders,
    ...{ baseline, isolated, timeMs, startedMs, random, signal, ...fit },
    open: ([arm]) => plan.open(arm === 'twin' ? baseline : (arm as string)),
    judge: (until) => ({ settled: plan.isSettled(turnsOf(until)) }),
    onRound: ({ generation, arm }) => plan.onRound(generation, arm),
  });
  signal.throwIfAborted();
  return turnsOf(outcome);
}

/** One round of the baseline with nothing beside it, which is not counted: how many of them does the time hold? */
async function tryOut({ contenders, baseline, isolated, timeMs, open }: TurnsPlan): Promise<GenerationsFit> {
  const arms = contenders.length + 1;
  const started = performance.now();
  const turn = await open(baseline);
  try {
    const openMs = performance.now() - started;
    await turn.round(baseline);
    const roundMs = performance.now() - started - openMs;
    await turn.close();
    // Beside one another, or one after the other.
    const aroundMs = openMs * (isolated ? arms : Math.max(1, arms / availableParallelism()));
    const fit = fitGenerations({ timeMs, aroundMs, blockMs: arms * roundMs });
    return isolated ? { ...fit, blocks: 1 } : fit;
  } finally {
    await turn.end();
  }
}

const said = (reason: unknown): string => (reason instanceof Error ? reason.message : String(reason));

const failed = (error: unknown): Outcome<RoundYield, string> => ({
  rounds: [],
  generations: 0,
  lost: new Map(),
  looks: [],
  disturbances: [],
  stop: 'failed',
  error,
});

/** A contender's rounds of a generation are those of its first blocks: one that is lost has no later ones. */
function columnsOf({ rounds }: Outcome<RoundYield, string>): GenerationColumns[] {
  const generations: Record<Arm<string>, Record<string, number[]>>[] = [];
  for (const { generation, arm, result } of rounds) {
    generations[generation] ??= {};
    const columns = generations[generation] as Record<Arm<string>, Record<string, number[]>>;
    columns[arm] ??= {};
    const own = columns[arm] as Record<string, number[]>;
    for (const [metric, value] of Object.entries(result.metrics)) {
      own[metric] ??= [];
      own[metric].push(Number(value.toPrecision(KEPT_DIGITS)));
    }
  }
  return generations;
}
