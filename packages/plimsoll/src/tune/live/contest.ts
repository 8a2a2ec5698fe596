import { nextOrder } from '../../contest/block-order.js';
import type { Random } from '../../stats/random.js';
import type { Judgement } from '../judge.js';
import type { TuneContext, TuneQuestion } from '../request.js';
import type { Arm, JudgePlan, Sample } from '../sample.js';

export interface Turn extends Pick<Sample, 'block' | 'order' | 'arm' | 'size'> {
  /** The whole of it should not take longer, so that there are enough blocks. */
  readonly mostMs: number;
}

export interface Standing<Result extends Sample> {
  readonly results: readonly Result[];
  /** Complete blocks, and what was known after the last of them. */
  readonly blocks: number;
  readonly known: Judgement | null;
}

export interface ContestOptions<Result extends Sample> extends Pick<TuneContext, 'signal'> {
  readonly question: TuneQuestion;
  readonly random: Random;
  /** Called before each block. */
  readonly before?: (block: number) => Promise<void>;
  /** A disturbed result says nothing: its arm is measured once more, at the end of the block. */
  readonly measure: (turn: Turn) => Promise<Result>;
  readonly judge: (results: readonly Result[], plan: JudgePlan) => Judgement;
  /** Called after each turn, and after each block. */
  readonly onStanding?: ((standing: Standing<Result>) => void) | undefined;
}

export interface Contest<Result extends Sample> {
  readonly results: readonly Result[];
  /** By which they are judged: sizes that left early are in it. */
  readonly plan: JudgePlan;
  readonly ending: 'settled' | 'time' | 'interrupted';
}

/** Fewer blocks of all arms differ too little to tell how much they differ. */
const LEAST_BLOCKS = 6;

/**
 * Compare sizes by measuring each of them, and the baseline twice, in every block until the judge knows or the time is over. It
 * differs from the contest of `bench`: the arms share processes that go on, so there are no generations.
 */
export async function contest<Result extends Sample>(
  options: ContestOptions<Result>,
): Promise<Contest<Result>> {
  const { question, measure, judge, before, random, signal, onStanding } = options;
  const { sizes, timeMs, ...asked } = question;
  const endMs = performance.now() + timeMs;
  const results: Result[] = [];
  let living: readonly Arm[] = [...sizes, 'twin'];
  let known: Judgement | null = null;
  let order: readonly Arm[] = [];
  let [turnMs, mostBlocks] = [0, 1];
  const ended = (ending: Contest<Result>['ending']): Contest<Result> => {
    const left = sizes.filter((size) => !living.includes(size));
    const { baseline, objective, seed } = asked;
    return { results, plan: { sizes, baseline, objective, seed, mostBlocks, left }, ending };
  };
  try {
    for (let block = 0; block === 0 || endMs - performance.now() > turnMs * living.length; block++) {
      await before?.(block);
      const blockStart = performance.now();
      order = nextOrder(living, block, order, random);
      const turns = [...order];
      const mostMs = (endMs - blockStart) / Math.max(1, LEAST_BLOCKS - block) / turns.length;
      for (let place = 0; place < turns.length; place++) {
        signal.throwIfAborted();
        const arm = turns[place] as Arm;
        const size = arm === 'twin' ? asked.baseline : arm;
        const result = await measure({ block, order: place, arm, size, mostMs });
        results.push(result);
        onStanding?.({ results, blocks: block, known });
        if (result.disturbed && place < order.length) turns.push(arm);
      }
      turnMs = (performance.now() - blockStart) / turns.length;
      if (block === 0) mostBlocks = Math.max(1, Math.round(timeMs / turnMs / turns.length));
      const judgement = judge(results, ended('time').plan);
      known = judgement;
      living = living.filter((arm) => judgement.living.includes(arm));
      onStanding?.({ results, blocks: block + 1, known });
      if (judgement.settled) return ended('settled');
    }
    return ended('time');
  } catch (error) {
    if (!signal.aborted) throw error;
    return ended('interrupted');
  }
}
