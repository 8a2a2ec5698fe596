import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Pool } from '@plimsoll/pool';
import { Piscina } from 'piscina';
import run, { type Task } from './work.js';

/** Who runs tasks. The twin is `inline` once more: how far apart it comes out is the error of the measurement. */
export const ARMS = ['inline', 'twin', 'plimsoll', 'piscina', 'fork'] as const;
export type ArmName = (typeof ARMS)[number];

/** Those that are compared with `inline`. */
export const RIVALS = ['plimsoll', 'piscina', 'fork'] as const;
export type Rival = (typeof RIVALS)[number];
export const TITLES: Record<Rival, string> = {
  plimsoll: '@plimsoll/pool',
  piscina: 'Piscina',
  fork: 'child processes',
};

export const WORKERS = 2;

/** `run` gives a promise, unless the caller's thread computes. */
export interface Arm {
  readonly run: (task: Task) => unknown;
  readonly isInline: boolean;
  close(): Promise<void>;
}

const filename = fileURLToPath(new URL('./work.js', import.meta.url));
const threads = { filename, minThreads: WORKERS, maxThreads: WORKERS };

export function openArms(): Record<ArmName, Arm> {
  const pool = new Pool(threads);
  const piscina = new Piscina(threads);
  const inline: Arm = { run, isInline: true, close: async () => {} };
  return {
    inline,
    twin: inline,
    plimsoll: { run: (task) => pool.run(task), isInline: false, close: () => pool.close() },
    piscina: { run: (task) => piscina.run(task), isInline: false, close: () => piscina.close() },
    fork: forked(),
  };
}

/** As programs do it by hand: a message there, a message back, and to the child that has the least to do. */
function forked(): Arm {
  let ids = 0;
  const children = Array.from({ length: WORKERS }, () => {
    const child = fork(new URL('./fork-child.js', import.meta.url));
    const pending = new Map<number, (result: unknown) => void>();
    child.on('message', ({ id, result }: { id: number; result: unknown }) => {
      pending.get(id)?.(result);
      pending.delete(id);
    });
    return { child, pending };
  });
  return {
    isInline: false,
    run: (task) =>
      new Promise((resolve) => {
        const [one, other] = children as [(typeof children)[0], (typeof children)[0]];
        const { child, pending } = one.pending.size <= other.pending.size ? one : other;
        pending.set(++ids, resolve);
        child.send({ id: ids, task });
      }),
    async close() {
      for (const { child } of children) child.disconnect();
    },
  };
}
