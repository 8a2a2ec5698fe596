import type { Judgement } from './judge.js';

/** What a tune tells while it runs. */
export interface TuneProgress {
  readonly phase: 'starting' | 'waiting' | 'warming up' | 'measuring';
  /** Of the phase: where requests are waited for. */
  readonly at: string | null;
  /** Complete blocks. */
  readonly blocks: number;
  /** `null` before the first block has ended. */
  readonly known: Judgement | null;
  /** Share of the time that is spent, 0 to 1. */
  readonly share: number;
  readonly leftMs: number;
}
