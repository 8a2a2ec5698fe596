import { availableParallelism } from 'node:os';
import {
  type AlternatingOutcome,
  type Arm,
  alternate,
  type Contestant,
  fitGenerations,
  GenerationWatch,
  type Random,
} from 'plimsoll/lab';
import type { ConditionResult, GenerationColumns } from './result.js';
import type { RoundYield } from './rounds.js';

/** A contender that waits for its next round. */
export interface Turn extends Contestant<RoundYield> {
  /** Of the process whose CPU time its rounds tell. */
  readonly pid: number;
}

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
  open(contender: string): Promise<Turn>;
  /** Asked after each generation. */
  isSettled(until: Turns): boolean;
  onRound(generation: number, contender: string): void;
}

const WANTED_GENERATIONS = 8;
const MOST_BLOCKS = 10;
/** More digits are noise, and make results large. */
const KEPT_DIGITS = 4;

/**
 * Give contenders and the baseline's twin short rounds in turn, in several generations of processes, for so much time or until it
 * is settled. A contender that fails is out with its reason.
 *
 * @throws {DOMException} AbortError when it was interrupted.
 */
export async function takeTurns(plan: TurnsPlan): Promise<Turns> {
  const { contenders, baseline, isolated, timeMs, signal } = plan;
  const started = performance.now();
  const spent = (): number => performance.now() - started;
  let disturbances: Turns['disturbances'] = [];
  let fit = { blocks: 1, mostGenerations: 1 };
  const turnsOf = (outcome: AlternatingOutcome<RoundYield, string>): Turns => ({
    method: {
      mode: isolated ? 'isolated' : 'alternating',
      seconds: timeMs / 1000,
      tookSeconds: Math.round(spent() / 1000),
      ...fit,
      generations: outcome.generations,
      rounds: outcome.rounds.filter(({ arm }) => arm === 'twin').length,
      looks: outcome.looks,
      stop: outcome.stop,
    },
    disturbances,
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
  const watch = new GenerationWatch();
  disturbances = watch.disturbances;
  const outcome = await alternate<RoundYield, string>({
    groups: [contenders.filter((contender) => contender !== baseline)],
    baseline,
    ...fit,
    isolated,
    random: plan.random,
    signal,
    open: async (arm) => watched(await plan.open(arm === 'twin' ? baseline : arm), watch),
    hasTime: (generationMs) => spent() + generationMs <= timeMs,
    isSettled: (until) => {
      watch.look();
      return plan.isSettled(turnsOf(until));
    },
    onRound: ({ generation, arm }) => plan.onRound(generation, arm),
  });
  signal.throwIfAborted();
  return turnsOf(outcome);
}

/** One round of the baseline with nothing beside it, which is not counted: how many of them does the time hold? */
async function tryOut({ contenders, baseline, isolated, timeMs, open }: TurnsPlan): Promise<{
  blocks: number;
  mostGenerations: number;
}> {
  const arms = contenders.length + 1;
  const started = performance.now();
  const turn = await open(baseline);
  try {
    const openMs = performance.now() - started;
    await turn.round();
    const roundMs = performance.now() - started - openMs;
    await turn.close();
    return fitGenerations({
      timeMs,
      // Beside one another, or one after the other.
      aroundMs: openMs * (isolated ? arms : Math.max(1, arms / availableParallelism())),
      blockMs: arms * roundMs,
      wanted: WANTED_GENERATIONS,
      mostBlocks: isolated ? 1 : MOST_BLOCKS,
    });
  } finally {
    await turn.end();
  }
}

function watched(turn: Turn, watch: GenerationWatch): Contestant<RoundYield> {
  return {
    round: async () => {
      const measured = await turn.round();
      watch.used(turn.pid, measured.totalCpuSeconds);
      return measured;
    },
    close: () => turn.close(),
    end: () => turn.end(),
  };
}

const said = (reason: unknown): string => (reason instanceof Error ? reason.message : String(reason));

const failed = (error: unknown): AlternatingOutcome<RoundYield, string> => ({
  rounds: [],
  generations: 0,
  lost: new Map(),
  looks: 0,
  stop: 'failed',
  error,
});

/** A contender's rounds of a generation are those of its first blocks: one that is lost has no later ones. */
function columnsOf({ rounds }: AlternatingOutcome<RoundYield, string>): GenerationColumns[] {
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
