import type { Random } from '../stats/random.js';
import { type Arm, blockOrders } from './block-order.js';

/** A process that waits for its next round. */
export interface Contestant<Result> {
  round(): Promise<Result>;
  /** Let it clean up, and end it. */
  close(): Promise<void>;
  /** Kill it. */
  end(): Promise<void>;
}

/** A round in its place; all counts from 0. */
export interface AlternatingRound<Result, Id extends string | number = number> {
  readonly generation: number;
  readonly block: number;
  /** Position in its block. */
  readonly order: number;
  /** Sizes that do not fit at once are measured in groups, each beside the baseline and its twin. */
  readonly group: number;
  readonly arm: Arm<Id>;
  readonly result: Result;
}

export interface AlternatingPlan<Result, Id extends string | number = number> {
  /** The contestants beside the baseline, in groups whose processes live at the same time. */
  readonly groups: readonly (readonly Id[])[];
  readonly baseline: Id;
  /** Blocks of a generation. */
  readonly blocks: number;
  readonly mostGenerations: number;
  /** One process at a time lives, for one round; a generation is then one block. */
  readonly isolated: boolean;
  readonly random: Random;
  readonly signal: AbortSignal;
  /** Start a process of a contestant; `twin` is the baseline a second time. */
  open(arm: Arm<Id>): Promise<Contestant<Result>>;
  /** Is there time for a generation more? Asked before each but the first. */
  hasTime(generationMs: number): boolean;
  /** Asked after each generation. */
  isSettled(outcome: AlternatingOutcome<Result, Id>): boolean;
  onRound?(round: AlternatingRound<Result, Id>): void;
}

/** Why there were no more generations. */
export type Stop = 'settled' | 'time' | 'generations' | 'interrupted' | 'failed';

export interface AlternatingOutcome<Result, Id extends string | number = number> {
  /** Every round, those of incomplete blocks and of lost contestants too. */
  readonly rounds: AlternatingRound<Result, Id>[];
  readonly generations: number;
  /** Contestants whose process died, hung or failed; the others went on without them. */
  readonly lost: Map<Id, unknown>;
  readonly looks: number;
  stop: Stop;
  /** What ended it, when the baseline itself was lost. */
  error: unknown;
}

/**
 * Give every contestant and the baseline's twin a short round in turn, in random order, block after block: what disturbs the
 * machine lasts longer than a round, so it hits all of them alike (duet benchmarking: Bulej and others, "Duet benchmarking:
 * improving measurement accuracy in the cloud", 2020). After some blocks all processes are replaced by fresh ones, because two
 * processes of the same kind differ too.
 *
 * Never throws for a failed process: what was measured before is part of the outcome.
 */
export async function alternate<Result, Id extends string | number = number>(
  plan: AlternatingPlan<Result, Id>,
): Promise<AlternatingOutcome<Result, Id>> {
  const alternation = new Alternation(plan);
  await alternation.run();
  return alternation.outcome;
}

class Alternation<Result, Id extends string | number> {
  readonly outcome: AlternatingOutcome<Result, Id> & { generations: number; looks: number } = {
    rounds: [],
    generations: 0,
    lost: new Map(),
    looks: 0,
    stop: 'generations',
    error: undefined,
  };

  constructor(readonly plan: AlternatingPlan<Result, Id>) {}

  async run(): Promise<void> {
    const { outcome, plan } = this;
    let longestMs = 0;
    try {
      while (outcome.generations < plan.mostGenerations) {
        const isFirst = outcome.generations === 0;
        if (!isFirst && !plan.hasTime(longestMs)) return this.#stop('time');
        const started = performance.now();
        for (const [group, ids] of plan.groups.entries()) await this.#generation(ids, group);
        longestMs = Math.max(longestMs, performance.now() - started);
        outcome.generations++;
        outcome.looks++;
        if (plan.isSettled(outcome)) return this.#stop('settled');
        if (!this.#isAnyoneLeft()) return this.#stop('failed');
      }
    } catch (error) {
      outcome.error = error;
      this.#stop(plan.signal.aborted ? 'interrupted' : 'failed');
    }
  }

  #isAnyoneLeft(): boolean {
    const ids = this.plan.groups.flat();
    return ids.length === 0 || ids.some((id) => !this.outcome.lost.has(id));
  }

  #stop(stop: Stop): void {
    this.outcome.stop = stop;
  }

  async #generation(ids: readonly Id[], group: number): Promise<void> {
    const living = ids.filter((id) => !this.outcome.lost.has(id));
    if (living.length === 0 && ids.length > 0) return;
    const { plan } = this;
    const orders = blockOrders([...living, plan.baseline], plan.isolated ? 1 : plan.blocks, plan.random);
    const open = new Map<Arm<Id>, Contestant<Result>>();
    try {
      if (!plan.isolated) await this.#openAll([...living, plan.baseline, 'twin'], open);
      for (const [block, arms] of orders.entries())
        for (const [order, arm] of arms.entries()) await this.#round(arm, open, { block, order, group });
    } finally {
      await Promise.all([...open.values()].map((contestant) => contestant.end()));
    }
  }

  async #openAll(arms: readonly Arm<Id>[], open: Map<Arm<Id>, Contestant<Result>>): Promise<void> {
    const results = await Promise.allSettled(arms.map((arm) => this.plan.open(arm)));
    const failed = new Map<Arm<Id>, unknown>();
    for (const [index, arm] of arms.entries()) {
      const result = results[index] as PromiseSettledResult<Contestant<Result>>;
      if (result.status === 'fulfilled') open.set(arm, result.value);
      else failed.set(arm, result.reason);
    }
    const others = [...failed].filter(([arm]) => !this.#isNeeded(arm));
    for (const [arm, error] of others) this.#lose(arm, error);
    const needed = [...failed].filter(([arm]) => this.#isNeeded(arm));
    // One that wants too many threads may have left none for those beside it: they get another chance without it.
    if (needed.length > 0 && others.length > 0)
      return this.#openAll(
        needed.map(([arm]) => arm),
        open,
      );
    for (const [arm, error] of needed) this.#lose(arm, error);
  }

  /** Nothing can be told without the baseline or its twin. */
  #isNeeded(arm: Arm<Id>): boolean {
    return arm === 'twin' || arm === this.plan.baseline;
  }

  /** A lost contestant is out with its reason. */
  #lose(arm: Arm<Id>, error: unknown): void {
    if (this.#isNeeded(arm) || this.plan.signal.aborted) throw error;
    this.outcome.lost.set(arm as Id, error);
  }

  async #round(
    arm: Arm<Id>,
    open: Map<Arm<Id>, Contestant<Result>>,
    place: Pick<AlternatingRound<Result, Id>, 'block' | 'order' | 'group'>,
  ): Promise<void> {
    if (arm !== 'twin' && this.outcome.lost.has(arm as Id)) return;
    const { plan, outcome } = this;
    try {
      if (plan.isolated) open.set(arm, await plan.open(arm));
      const contestant = open.get(arm) as Contestant<Result>;
      const result = await contestant.round();
      const isLast = place.block === (plan.isolated ? 0 : plan.blocks - 1);
      if (isLast) {
        await contestant.close();
        open.delete(arm);
      }
      const round = { generation: outcome.generations, ...place, arm, result };
      outcome.rounds.push(round);
      plan.onRound?.(round);
    } catch (error) {
      await open.get(arm)?.end();
      open.delete(arm);
      this.#lose(arm, error);
    }
  }
}

/** The rounds of one contestant, of the baseline and of its twin in the complete blocks of a generation, in the same order. */
export interface PairedRounds<Result> {
  readonly own: readonly Result[];
  readonly baseline: readonly Result[];
  readonly twin: readonly Result[];
}

/**
 * What can be compared: for every generation that all contestants but the lost ones took part in, their rounds and those of the
 * baseline in the same blocks. A generation that was cut short counts with its complete blocks, if it has any.
 */
export function pairedGenerations<Result, Id extends string | number = number>(
  rounds: readonly AlternatingRound<Result, Id>[],
  ids: readonly Id[],
  baseline: Id,
): Map<Arm<Id>, PairedRounds<Result>>[] {
  const byPlace = new Map<string, Map<Arm<Id>, Result>>();
  for (const { generation, group, block, arm, result } of rounds) {
    const place = `${generation} ${group} ${block}`;
    byPlace.set(place, (byPlace.get(place) ?? new Map()).set(arm, result));
  }
  const last = rounds.at(-1)?.generation ?? -1;
  return Array.from({ length: last + 1 }, (_, generation) => {
    const blocks = [...byPlace]
      .filter(([place]) => place.startsWith(`${generation} `))
      .map(([, block]) => block);
    return new Map(
      [...ids, 'twin' as const].map((arm): [Arm<Id>, PairedRounds<Result>] => {
        const complete = blocks.filter((block) => block.has(arm) && block.has(baseline) && block.has('twin'));
        return [
          arm,
          {
            own: complete.map((block) => block.get(arm) as Result),
            baseline: complete.map((block) => block.get(baseline) as Result),
            twin: complete.map((block) => block.get('twin') as Result),
          },
        ];
      }),
    );
  }).filter((generation) => [...generation.values()].every(({ own }) => own.length > 0));
}
