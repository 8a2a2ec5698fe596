// Sends bytes to a worker and back, copied or moved: `plimsoll-clone`, `piscina-move` …
import { type AnyPool, openPool } from '../common/pools.js';
import type { Opened, Yield } from '../common/study.js';

const WARM_UP = 5;

interface Way {
  send(pool: AnyPool, length: number): Promise<void>;
}

/** The three ways; each checks that everything has arrived. */
function waysOf(library: string, moves: boolean): Record<'to' | 'from' | 'both', Way> {
  const by = library === 'plimsoll' ? 'ByPlimsoll' : 'ByPiscina';
  const suffix = moves ? by : '';
  const options = (name: string, bytes: Uint8Array<ArrayBuffer>) =>
    moves ? { name, transferList: [bytes.buffer] } : { name };
  return {
    to: {
      async send(pool, length) {
        const bytes = new Uint8Array(length);
        check((await pool.run(bytes, options('receive', bytes))) as number, length);
      },
    },
    from: {
      async send(pool, length) {
        check(((await pool.run(length, { name: `give${suffix}` })) as Uint8Array).length, length);
      },
    },
    both: {
      async send(pool, length) {
        const bytes = new Uint8Array(length);
        const name = `giveBack${suffix}`;
        check(((await pool.run(bytes, options(name, bytes))) as Uint8Array).length, length);
      },
    },
  };
}

function check(arrived: number, sent: number): void {
  if (arrived !== sent) throw new Error(`${arrived} of ${sent} bytes arrived`);
}

async function microseconds(pool: AnyPool, way: Way, length: number, tasks: number): Promise<number> {
  // Threads that have waited for their turn are woken up; a round of a single task spends nothing on that.
  for (let task = 0; task < Math.min(WARM_UP, tasks - 1); task++) await way.send(pool, length);
  const started = performance.now();
  for (let task = 0; task < tasks; task++) await way.send(pool, length);
  return ((performance.now() - started) * 1000) / tasks;
}

export async function open(contender: string, { length = 1024, tasks = 100 }): Promise<Opened> {
  const [library = '', kind] = contender.split('-');
  const pool = openPool(library, new URL('./worker.js', import.meta.url), { minThreads: 1, maxThreads: 1 });
  const { to, from, both } = waysOf(library, kind === 'move');
  const round = async (): Promise<Yield> => ({
    metrics: {
      to: await microseconds(pool, to, length, tasks),
      from: await microseconds(pool, from, length, tasks),
      both: await microseconds(pool, both, length, tasks),
    },
  });
  await round();
  return { round };
}
