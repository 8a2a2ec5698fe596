import type { TestContext } from 'node:test';
import { type Step, TestPool, type TestPoolOptions } from '@plimsoll/pool/testing';
import { fixture } from './support.js';

export const MINUTE = 60_000;

export function poolFor(t: TestContext, options: TestPoolOptions = {}): TestPool {
  const pool = new TestPool({
    filename: fixture('in-process.mjs'),
    minThreads: 1,
    maxThreads: 1,
    ...options,
  });
  t.after(() => pool.destroy());
  return pool;
}

export const shown = (steps: readonly Step[]): string[] =>
  steps.map(({ kind, threadId, name }) =>
    [kind, threadId, name].filter((part) => part !== undefined).join(' '),
  );
