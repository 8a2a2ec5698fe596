import type { OpenPool, Setup } from '../contenders/contender.js';
import type { ContenderName } from '../contenders/contenders.js';
import type { Effort } from '../support/effort.js';

export interface Metric {
  readonly id: string;
  readonly title: string;
  readonly better: 'more' | 'less';
  /** Digits behind the point. */
  readonly digits: number;
}

/** What our pool is to reach; `metric` is one of the case's. */
export type Target = { readonly metric: string; readonly atLeast?: number; readonly atMost?: number } & (
  | { readonly kind: 'times'; readonly of: 'piscina' | 'next best' }
  /** Of the figure itself; `unit` is how it reads. */
  | { readonly kind: 'value'; readonly unit: string }
);

/** What a case has to work with, in a process of its own. */
export interface Lab {
  open(setup: Setup): OpenPool;
  readonly effort: Effort;
  /** How long the import of the contender's library took, in milliseconds. */
  readonly importMs: number;
}

/** One thing to measure: what it is, what counts, and how one run of one contender goes. */
export interface Case {
  readonly name: string;
  readonly title: string;
  /** Markdown: what happens in a run and why it is fair. */
  readonly description: string;
  readonly contenders: readonly ContenderName[];
  /** The first is the one that counts. */
  readonly metrics: readonly Metric[];
  readonly targets: readonly Target[];
  /** Runs per contender for each block asked for; 1 where not given. */
  readonly blocksFactor?: number;
  /** Runs that a process answers before a fresh one takes its place; 1 where not given. */
  readonly runsPerProcess?: number;
  /** What a run takes, roughly, for the time left. */
  readonly expectedMs: Readonly<Record<Effort, number>>;
  /** One run; one number for each metric. Throws when a result is wrong. */
  measure(lab: Lab): Promise<Record<string, number>>;
}
