import type { Output } from '../lab/command.js';
import type { Supervision } from '../lab/guardian.js';
import type { Judgement } from './judge.js';
import type { JudgePlan } from './sample.js';
import type { TrafficSource } from './traffic/open.js';

export interface TuneQuestion extends Pick<JudgePlan, 'sizes' | 'baseline' | 'objective' | 'seed'> {
  /** For the measurement itself: starting the app and waiting for the first request come on top. */
  readonly timeMs: number;
}

export interface TuneRequest extends TuneQuestion {
  readonly command: readonly string[];
  /** null: whoever sends requests anyway. */
  readonly traffic: TrafficSource | null;
  /** An app that is to get requests of ours listens within this time. */
  readonly readyMs: number;
  readonly stdout: Output;
}

export interface TuneProcessRequest extends Pick<TuneQuestion, 'objective' | 'timeMs' | 'seed'> {
  readonly pid: number;
  readonly sizes: readonly number[] | null;
  readonly baseline: number | null;
}

export interface TuneContext extends Supervision {
  readonly onProgress: (progress: TuneProgress) => void;
}

export interface TuneProgress {
  readonly phase: 'starting' | 'waiting' | 'warming up' | 'measuring';
  readonly at: string | null;
  readonly blocks: number;
  readonly known: Judgement | null;
  readonly share: number;
  readonly leftMs: number;
}

export function spentOf(startMs: number, timeMs: number): Pick<TuneProgress, 'share' | 'leftMs'> {
  const spentMs = performance.now() - startMs;
  return { share: Math.min(1, spentMs / timeMs), leftMs: Math.max(0, timeMs - spentMs) };
}
