import type { OperationSpec } from '../workloads/operations.js';
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
  readonly blocks: number;
  readonly seed: number;
  /** A run that takes longer counts as hung, in milliseconds. */
  readonly deadlineMs: number;
}

/** The size of a server that somebody else started. */
export const AS_IT_IS = 0;

/** What a load tells while it runs. */
export interface LoadProgress {
  readonly mode: string;
  readonly case: string;
  /** The run that is under way. */
  readonly size: number;
  readonly block: number;
  readonly blocks: number;
  /** Share of all runs that is done, 0 to 1. */
  readonly share: number;
  /** Time that the rest is likely to take, in milliseconds; `null` while nothing is known. */
  readonly leftMs: number | null;
}
