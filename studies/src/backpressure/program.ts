// Has every line of a CSV file processed by a pool, with and without back-pressure.
import { createReadStream, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { peakRssMb } from '@plimsoll/benchmarks/memory';
import { parse } from 'csv-parse';
import { type AnyPool, CORES, openPool } from '../common/pools.js';
import type { Opened, Yield } from '../common/study.js';
import { writeCsv } from './data.js';
import { LIMIT, type Mode, pausing, unbounded, windowed } from './modes.js';

const MODES: Readonly<Record<string, Mode>> = { unbounded, pausing, windowed };
const MB = 2 ** 20;
/** Reading the heap's size takes a few microseconds, so not every record does. */
const LOOK_EVERY = 50;

export async function open(contender: string, { lines = 25_000 }): Promise<Opened> {
  const [library = '', name = ''] = contender.split('-');
  const mode = MODES[name];
  if (mode === undefined) throw new Error(`there is no mode ${name}`);
  const file = writeCsv(lines);
  const pool = openPool(library, new URL('./worker.js', import.meta.url), {
    ...{ minThreads: CORES, maxThreads: CORES },
    ...(mode === pausing ? { maxQueue: LIMIT } : {}),
  });
  await Promise.all(Array.from({ length: CORES }, () => pool.run({})));
  return { round: () => round(mode, pool, file, lines) };
}

/** The only one of its process. */
async function round(mode: Mode, pool: AnyPool, file: string, lines: number): Promise<Yield> {
  let peakHeap = 0;
  let longest = 0;
  let submissions = 0;
  const submitted = (): void => {
    longest = Math.max(longest, pool.queueSize);
    if (submissions++ % LOOK_EVERY === 0) peakHeap = Math.max(peakHeap, getHeapStatistics().used_heap_size);
  };
  const completed = pool.completed;
  const started = performance.now();
  await mode(createReadStream(file).pipe(parse({ columns: true })), pool, submitted);
  const time = performance.now() - started;
  rmSync(dirname(file), { recursive: true });
  if (submissions !== lines) throw new Error(`${submissions} of ${lines} lines were submitted`);
  if (pool.completed - completed < lines) throw new Error('not every line was processed');
  return { metrics: { time, heap: peakHeap / MB, rss: peakRssMb(), queue: longest } };
}
