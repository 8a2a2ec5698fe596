import type { GenerationsResult } from '@plimsoll/lab';
import type { OperationSpec } from './operation-spec.js';
import type { Mode } from './target/sample.js';

/** One kind of traffic. */
export type LoadCase =
  | {
      /** `1`, `2` and `3` are those of the load test that this one grew out of. */
      readonly name: string;
      readonly kind: 'closed';
      readonly parallel: number;
      readonly requests: number;
    }
  | {
      readonly name: string;
      readonly kind: 'open';
      /** Mean requests a second. */
      readonly rate: number;
      readonly durationMs: number;
    };

export const CASES: readonly LoadCase[] = [
  { name: '1', kind: 'closed', parallel: 1, requests: 15 },
  { name: '2', kind: 'closed', parallel: 15, requests: 1 },
  { name: '3', kind: 'closed', parallel: 15, requests: 5 },
];

/** Where a table of cells is measured: one way to run the server under one kind of traffic. */
export interface Table {
  readonly mode: Mode | 'command' | 'url';
  readonly instances: number;
  readonly traffic: LoadCase;
}

/** What is loaded. */
export type LoadTarget =
  | {
      readonly kind: 'sample';
      readonly modes: readonly Mode[];
      /** Workers of the cluster modes. */
      readonly instances: number;
      readonly operation: OperationSpec;
      readonly operationsPerRequest: number;
      /** Both in words. */
      readonly description: string;
    }
  | {
      readonly kind: 'command';
      readonly command: readonly [string, ...string[]];
      readonly url: URL;
      readonly bystander: URL | null;
    }
  | { readonly kind: 'url'; readonly url: URL; readonly bystander: URL | null };

export interface LoadPlan {
  readonly target: LoadTarget;
  readonly cases: readonly LoadCase[];
  /** Pool sizes in ascending order; `AS_IT_IS` alone for a server that runs already. */
  readonly sizes: readonly number[];
  readonly baseline: number;
  /** One server at a time, for one slice: asked for, or because the servers own their port. */
  readonly isolated: boolean;
  /** Time for one table, in milliseconds; `null`: as much as its generations take. */
  readonly timeMs: number | null;
  /** The most generations of isolated servers. */
  readonly blocks: number;
  readonly seed: number;
  /** A server that does not start, or does not end a slice, within so long counts as hung, in milliseconds. */
  readonly deadlineMs: number;
}

/** The size of a server that somebody else started. */
export const AS_IT_IS = 0;

/** What a load tells while it runs. */
export interface LoadProgress {
  readonly mode: string;
  readonly case: string;
  /** 0 during the trial. */
  readonly generation: number;
  /** What is known by now; `null` before the first generation has ended. */
  readonly known: Pick<GenerationsResult, 'comparisons' | 'recommended' | 'settled' | 'noisy'> | null;
  /** Share of the time of all tables that is spent, 0 to 1. */
  readonly share: number;
  /** Time that the rest may still take, in milliseconds; `null` while that is not known. */
  readonly leftMs: number | null;
}
