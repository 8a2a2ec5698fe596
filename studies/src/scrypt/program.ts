// Derives keys from passwords, one after the other or all at once: on this thread, in libuv's pool, or in a pool of workers.
import { randomFill } from 'node:crypto';
import { promisify } from 'node:util';
import { watchLoop } from '../common/loop-delay.js';
import { openPool } from '../common/pools.js';
import type { Opened, Yield } from '../common/study.js';
import { asynchronous, synchronous } from './worker.js';

type Derive = (task: { password: Uint8Array }) => Promise<unknown> | unknown;

const fill = promisify(randomFill) as unknown as (bytes: Uint8Array) => Promise<Uint8Array>;

/** As the article has it: every password comes asynchronously, so that the event loop turns between two of them. */
async function* passwords(count: number): AsyncGenerator<Uint8Array> {
  for (let made = 0; made < count; made++) yield fill(new Uint8Array(10));
}

/** A contender is `async`, `sync`, or one of them in a pool: `plimsoll-async`, `piscina-sync`. */
async function deriveBy(contender: string): Promise<Derive> {
  if (contender === 'async') return asynchronous;
  if (contender === 'sync') return synchronous;
  const [library = '', kind = ''] = contender.split('-');
  const name = { async: 'asynchronous', sync: 'synchronous' }[kind];
  if (name === undefined) throw new Error(`there is no contender ${contender}`);
  // The article gives its workers ten tasks at once; only asynchronous ones gain from that.
  const concurrency = kind === 'async' ? { concurrentTasksPerWorker: 10 } : {};
  const pool = openPool(library, new URL('./worker.js', import.meta.url), concurrency);
  return (task) => pool.run(task, { name });
}

export async function open(contender: string, { count = 10, atOnce = 0 }): Promise<Opened> {
  const derive = await deriveBy(contender);
  // What happens once (the start of a worker, the first use of everything) is not what is compared.
  await derive({ password: new Uint8Array(10) });
  return { round: () => round(derive, count, atOnce === 1) };
}

async function round(derive: Derive, count: number, atOnce: boolean): Promise<Yield> {
  const watched = watchLoop();
  const cpu = process.cpuUsage();
  const started = performance.now();
  const pending: Promise<unknown>[] = [];
  for await (const password of passwords(count)) {
    const derived = derive({ password });
    if (atOnce) pending.push(Promise.resolve(derived));
    else await derived;
  }
  await Promise.all(pending);
  const total = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  const { p50, p99, commonP99 } = await watched();
  return { metrics: { total, p50, p99, commonP99, cpu: (user + system) / 1000 } };
}
