import type { Output } from '../lab/command.js';
import type { Supervision } from '../lab/guardian.js';
import type { Judgement } from './judge.js';
import type { JudgePlan } from './sample.js';
import type { TrafficSource } from './traffic/source.js';

export interface TuneQuestion extends Pick<JudgePlan, 'sizes' | 'baseline' | 'objective' | 'seed'> {
  /** For the measurement itself: starting the app and waiting for the first request come on top. */
  readonly timeMs: number;
}

export interface TuneRequest extends TuneQuestion {
  readonly command: readonly string[];
  /** null: requests come from elsewhere. */
  readonly traffic: TrafficSource | null;
  /** An app that is to get our requests listens within this time. */
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

type Step = Pick<TuneProgress, 'phase'> & Partial<Pick<TuneProgress, 'at' | 'blocks' | 'known'>>;

/** Progress of a phase that began at `startMs` and takes `timeMs` at the most. */
export function progressOf(step: Step, startMs: number, timeMs: number): TuneProgress {
  const spentMs = performance.now() - startMs;
  const spent = { share: Math.min(1, spentMs / timeMs), leftMs: Math.max(0, timeMs - spentMs) };
  return { at: null, blocks: 0, known: null, ...step, ...spent };
}
