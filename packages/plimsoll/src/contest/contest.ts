import { grouped } from '../collections/grouped.js';
import { itemAt } from '../collections/item-at.js';
import { sum } from '../collections/sum.js';
import { disturbancesOf, machineNoise, readMachine, readMachineCounters } from '../host/noise.js';
import type { Random } from '../stats/random.js';
import { type Arm, nextOrder } from './block-order.js';

export interface Used {
  /** CPU time of the process since its start. */
  readonly totalCpuSeconds?: number;
}

export interface Contestant<Result extends Used, Id extends string | number = number> {
  /** The process whose CPU time the rounds report, if they do. */
  readonly pid?: number;
  round(arm: Arm<Id>): Promise<Result>;
  close(): Promise<void>;
  end(): Promise<void>;
}

/** A round in its place; all counts from 0. */
export interface Round<Result, Id extends string | number = number> {
  readonly generation: number;
  readonly block: number;
  readonly order: number;
  readonly arm: Arm<Id>;
  readonly result: Result;
}

export interface Standing<Id> {
  readonly settled: boolean;
  /** Hopeless contestants leave; their rounds count. */
  readonly hopeless?: readonly Id[];
  /** Blocks of the next generation; by default as many as in the last one. */
  readonly blocks?: number;
}

export interface ContestPlan<Result extends Used, Id extends string | number = number> {
  readonly ids: readonly Id[];
  readonly baseline: Id;
  readonly blocks: number;
  readonly mostGenerations: number;
  /** `null`: as long as the generations take. */
  readonly timeMs: number | null;
  /** The start of the time, by `performance.now()`. */
  readonly startedMs: number;
  /** One process at a time lives, for one round; a generation is then one block. */
  readonly isolated: boolean;
  readonly random: Random;
  readonly signal: AbortSignal;
  /** Arms of the same name share a process; by default none do. */
  processOf?(arm: Arm<Id>): string;
  /** Start a process for these arms; `twin` is the baseline a second time. */
  open(arms: readonly Arm<Id>[]): Promise<Contestant<Result, Id>>;
  judge(outcome: Outcome<Result, Id>): Standing<Id>;
  onRound?(round: Round<Result, Id>): void;
}

export type Stop = 'settled' | 'time' | 'generations' | 'interrupted' | 'failed';

export interface Outcome<Result, Id extends string | number = number> {
  /** Every round, also of incomplete blocks and lost contestants. */
  readonly rounds: readonly Round<Result, Id>[];
  readonly generations: number;
  /** The share of the information at the end of each generation; 1 at the last one that fits into the time. */
  readonly looks: readonly number[];
  readonly lost: ReadonlyMap<Id, unknown>;
  /** In which generations further load disturbed the machine. */
  readonly disturbances: readonly { readonly generation: number; readonly what: string[] }[];
  readonly stop: Stop;
  readonly error: unknown;
}

/** No shared process can have this arm; the rest can share one without it. */
export class ArmLost<Id extends string | number> extends Error {
  constructor(
    readonly arm: Arm<Id>,
    override readonly cause: unknown,
  ) {
    super('no process is available for this arm');
  }
}

/**
 * Give every contestant and the baseline's twin a short round in turn, in random order, block after block: what disturbs the
 * machine lasts longer than a round, so it hits all of them alike (duet benchmarking: Bulej and others, "Duet benchmarking:
 * improving measurement accuracy in the cloud", 2020). After some blocks all processes are replaced by fresh ones, because two
 * processes of the same kind differ too.
 *
 * Never throws for a failed process: what was measured before is part of the outcome.
 */
export const contest = <Result extends Used, Id extends string | number = number>(
  plan: ContestPlan<Result, Id>,
): Promise<Outcome<Result, Id>> => new Contest(plan).run();

/** A generation worth its start has at least this share of the blocks of the one before. */
const LEAST_SHARE = 1 / 3;

class Contest<Result extends Used, Id extends string | number> {
  readonly #plan: ContestPlan<Result, Id>;
  readonly #rounds: Round<Result, Id>[] = [];
  readonly #looks: number[] = [];
  readonly #lost = new Map<Id, unknown>();
  readonly #disturbances: { generation: number; what: string[] }[] = [];
  readonly #usedByPid = new Map<number, number>();
  #machine = readMachine(readMachineCounters);
  readonly #open = new Map<Arm<Id>, Contestant<Result, Id>>();
  #living: readonly Id[];
  #generations = 0;
  #blocks: number;
  /** Of the slowest generation: what it takes around its blocks, and what one takes. */
  #aroundMs = 0;
  #blockMs = 0;
  #stop: Stop = 'generations';
  #error: unknown;

  constructor(plan: ContestPlan<Result, Id>) {
    this.#plan = plan;
    this.#living = plan.ids;
    this.#blocks = plan.isolated ? 1 : plan.blocks;
  }

  get #outcome(): Outcome<Result, Id> {
    return {
      ...{ rounds: this.#rounds, generations: this.#generations, looks: this.#looks, lost: this.#lost },
      ...{ disturbances: this.#disturbances, stop: this.#stop, error: this.#error },
    };
  }

  async run(): Promise<Outcome<Result, Id>> {
    this.#stop = await this.#contest();
    return this.#outcome;
  }

  async #contest(): Promise<Stop> {
    const plan = this.#plan;
    try {
      for (let blocks = this.#blocks; blocks > 0; blocks = this.#fitting()) {
        await this.#generation(blocks);
        this.#recordDisturbances();
        this.#generations++;
        this.#looks.push(this.#share());
        const { settled, hopeless = [], blocks: wanted } = plan.judge(this.#outcome);
        this.#living = this.#living.filter((id) => !hopeless.includes(id));
        if (wanted !== undefined && !plan.isolated) this.#blocks = wanted;
        if (settled) return 'settled';
        if (plan.ids.length > 1 && this.#living.every((id) => id === plan.baseline))
          return hopeless.length > 0 ? 'settled' : 'failed';
      }
      return this.#generations < plan.mostGenerations ? 'time' : 'generations';
    } catch (error) {
      this.#error = error;
      if (this.#rounds.at(-1)?.generation === this.#generations) this.#looks.push(this.#share());
      return plan.signal.aborted ? 'interrupted' : 'failed';
    }
  }

  #recordDisturbances(): void {
    const [before, after] = [this.#machine, readMachine(readMachineCounters)];
    const usedSeconds = after.cpuSeconds - before.cpuSeconds + sum([...this.#usedByPid.values()]);
    const kinds = disturbancesOf(machineNoise(before.counters, after.counters, usedSeconds));
    if (kinds.length > 0) this.#disturbances.push({ generation: this.#generations, what: kinds });
    this.#usedByPid.clear();
    this.#machine = after;
  }

  #spent(): number {
    return performance.now() - this.#plan.startedMs;
  }

  /** Blocks of the next generation: fewer than wanted where the time ends before; 0 when there is no next one. */
  #fitting(): number {
    const { mostGenerations, timeMs } = this.#plan;
    if (this.#generations >= mostGenerations) return 0;
    if (timeMs === null) return this.#blocks;
    const blocks = Math.floor((timeMs - this.#spent() - this.#aroundMs) / this.#blockMs);
    return blocks < LEAST_SHARE * this.#blocks ? 0 : Math.min(blocks, this.#blocks);
  }

  #share(): number {
    const { mostGenerations, timeMs } = this.#plan;
    if (this.#fitting() === 0) return 1;
    const share = timeMs === null ? this.#generations / mostGenerations : this.#spent() / timeMs;
    return Math.min(1, Math.max(share, this.#looks.at(-1) ?? 0));
  }

  async #generation(blocks: number): Promise<void> {
    const started = performance.now();
    try {
      const { isolated, random } = this.#plan;
      if (!isolated) await this.#openAll();
      const opened = performance.now();
      let order: readonly Arm<Id>[] = [];
      for (let block = 0; block < blocks && (isolated || this.#open.size > 0); block++) {
        order = nextOrder<Arm<Id>>([...this.#living, 'twin'], block, order, random);
        for (const [place, arm] of order.entries()) await this.#round(arm, block, place);
      }
      const done = performance.now();
      await this.#closeAll();
      this.#blockMs = Math.max(this.#blockMs, (done - opened) / blocks);
      this.#aroundMs = Math.max(this.#aroundMs, opened - started + performance.now() - done);
    } finally {
      await Promise.all([...new Set(this.#open.values())].map((contestant) => contestant.end()));
      this.#open.clear();
    }
  }

  async #openAll(): Promise<void> {
    const arms: readonly Arm<Id>[] = [...this.#living, 'twin'];
    const processes = grouped(arms, (arm) => this.#plan.processOf?.(arm) ?? String(arm));
    for (let left: Arm<Id>[][] = [...processes.values()]; left.length > 0; )
      left = await this.#openEach(left);
  }

  /** @returns what is to be opened again, without the arms that were lost. */
  async #openEach(processes: readonly Arm<Id>[][]): Promise<Arm<Id>[][]> {
    const results = await Promise.allSettled(processes.map((arms) => this.#plan.open(arms)));
    const failed = results.flatMap((result, index) => {
      const arms = itemAt(processes, index);
      const isNeeded = arms.some((arm) => this.#isNeeded(arm));
      if (result.status === 'rejected') return [{ arms, isNeeded, error: result.reason as unknown }];
      for (const arm of arms) this.#open.set(arm, result.value);
      return [];
    });
    return failed.flatMap(({ arms, isNeeded, error }) => {
      if (error instanceof ArmLost) {
        this.#lose(error.arm, error.cause);
        return [arms.filter((arm) => arm !== error.arm)];
      }
      if (!isNeeded) {
        for (const arm of arms) this.#lose(arm, error);
        return [];
      }
      // A process with too many threads may have left none for the others: they get another chance without it.
      if (failed.every((failure) => failure.isNeeded)) throw error;
      return [arms];
    });
  }

  /** Nothing can be told without the baseline or its twin. */
  #isNeeded(arm: Arm<Id>): boolean {
    return arm === 'twin' || arm === this.#plan.baseline;
  }

  #lose(arm: Arm<Id>, error: unknown): void {
    if (this.#isNeeded(arm) || this.#plan.signal.aborted) throw error;
    this.#lost.set(arm as Id, error);
    this.#living = this.#living.filter((id) => id !== arm);
  }

  async #round(arm: Arm<Id>, block: number, order: number): Promise<void> {
    const { isolated, open, onRound } = this.#plan;
    try {
      if (isolated && (arm === 'twin' || this.#living.includes(arm))) this.#open.set(arm, await open([arm]));
      const contestant = this.#open.get(arm);
      if (contestant === undefined) return;
      const result = await contestant.round(arm);
      if (contestant.pid !== undefined && result.totalCpuSeconds !== undefined)
        this.#usedByPid.set(contestant.pid, result.totalCpuSeconds);
      if (isolated) {
        await contestant.close();
        this.#open.delete(arm);
      }
      const round = { generation: this.#generations, block, order, arm, result };
      this.#rounds.push(round);
      onRound?.(round);
    } catch (error) {
      const contestant = this.#open.get(arm);
      await contestant?.end();
      if (contestant !== undefined) this.#remove(contestant);
      this.#lose(arm, error instanceof ArmLost ? error.cause : error);
    }
  }

  /** @returns the arms that shared the process: they have none in this generation any more. */
  #remove(contestant: Contestant<Result, Id>): Arm<Id>[] {
    const arms = [...this.#open.keys()].filter((arm) => this.#open.get(arm) === contestant);
    for (const arm of arms) this.#open.delete(arm);
    return arms;
  }

  async #closeAll(): Promise<void> {
    for (const contestant of new Set(this.#open.values())) {
      const arms = this.#remove(contestant);
      try {
        await contestant.close();
      } catch (error) {
        for (const arm of arms) this.#lose(arm, error);
      }
    }
  }
}

/** What the arms did in each block, generation by generation; what is incomplete is shorter. */
export function blocksOf<Result, Figures, Id extends string | number = number>(
  rounds: readonly Round<Result, Id>[],
  figuresOf: (result: Result) => Figures,
): Map<Arm<Id>, Figures>[][] {
  const generations: Map<Arm<Id>, Figures>[][] = [];
  for (const { generation, block, arm, result } of rounds) {
    while (generations.length <= generation) generations.push([]);
    const blocks = generations[generation] as Map<Arm<Id>, Figures>[];
    while (blocks.length <= block) blocks.push(new Map());
    blocks[block]?.set(arm, figuresOf(result));
  }
  return generations;
}
