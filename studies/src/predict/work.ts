// A workload with a known answer, in a process of its own: node work.js CASE [SCALE] [HOST…]. It ends by itself. The work and
// the moments of its arrivals are the same in every run.
import { pbkdf2 } from 'node:crypto';
import { lookup } from 'node:dns';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { prepareSleep } from 'plimsoll/lab/child';

const [, , name = '', scaleText = '1', ...hosts] = process.argv;
const scale = Number(scaleText);
const SILENCE_MS = 300;
const directory = mkdtempSync(join(tmpdir(), 'plimsoll-study-'));

/** Numbers from 0 to 1, the same ones in every run (Numerical Recipes' generator). */
let state = 2026;
const random = (): number => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};
const exponential = (mean: number): number => -Math.log(1 - random()) * mean;

const hash = (iterations: number): Promise<void> =>
  new Promise((resolve, reject) =>
    pbkdf2('secret', 'salt', iterations, 64, 'sha512', (error) => (error ? reject(error) : resolve())),
  );
const resolveName = (index: number): Promise<void> =>
  new Promise((resolve) => lookup(hosts[index % hosts.length] ?? 'localhost', () => resolve()));
const spin = (ms: number): void => {
  for (const end = performance.now() + ms; performance.now() < end; );
};

/** Iterations that take about a millisecond of CPU here: what counts is that every run has the same work. */
const PER_MS = 800;
const cores = Math.max(1, availableParallelism());

/** Starts one of several operations. */
type Start = (index: number) => Promise<unknown>;

/** Start `count` operations at the same time. */
const burst = (count: number, start: Start): Promise<unknown> =>
  Promise.all(Array.from({ length: count }, (_, index) => start(index)));

/** Start `count` operations at random moments, `gapMs` apart on average; none waits for another. */
async function arrivals(count: number, gapMs: number, start: Start): Promise<void> {
  const running: Promise<unknown>[] = [];
  let due = performance.now();
  for (let index = 0; index < count; index++) {
    due += exponential(gapMs);
    const left = due - performance.now();
    if (left > 0.5) await sleep(left);
    running.push(start(index));
  }
  await Promise.all(running);
}

/** Pbkdf2 at random moments, so many that the cores are busy for `load` of the time. */
const steady = (load: number) => async (): Promise<void> => {
  const meanMs = 8;
  const sizes = Array.from({ length: count(400) }, () => meanMs * (0.5 + random()));
  await arrivals(sizes.length, meanMs / (load * cores), (index) =>
    hash(Math.round((sizes[index] as number) * PER_MS)),
  );
};
const count = (full: number): number => Math.max(8, Math.round(full * scale));

const CASES: Readonly<Record<string, () => Promise<unknown>>> = {
  'cpu-burst': () => burst(count(120), (index) => hash((4 + (index % 5) * 3) * PER_MS)),
  'cpu-steady-40': steady(0.4),
  'cpu-steady-70': steady(0.7),
  'cpu-steady-90': steady(0.9),
  'blocked-burst': () => withSleep(20, (run) => burst(count(200), run)),
  'blocked-steady': () => withSleep(20, (run) => arrivals(count(400), 6, run)),
  mix: () =>
    withSleep(15, (run) =>
      arrivals(count(400), 6, (index) => (index % 2 === 0 ? run(index) : hash(6 * PER_MS))),
    ),
  chains: async () => {
    const file = join(directory, 'file');
    writeFileSync(file, Buffer.alloc(16 * 1024));
    await burst(count(40), async (index) => {
      for (let step = 0; step < 4; step++) {
        await readFile(file);
        await hash((2 + (index % 3)) * PER_MS);
      }
    });
  },
  'tiny-fs': () =>
    burst(16, async () => {
      for (let step = 0; step < count(150); step++) await stat(directory);
    }),
  convoy: async () => {
    await withSleep(5, async (run) => {
      const lookups = sleep(100).then(() => burst(8, resolveName));
      await Promise.all([lookups, arrivals(count(600), 1.6, run)]);
    });
  },
  'busy-loop': async () => {
    let done = false;
    const busy = (async () => {
      while (!done) {
        spin(6);
        await sleep(8);
      }
    })();
    await arrivals(count(250), 12, () => hash(6 * PER_MS));
    done = true;
    await busy;
  },
};

/** The operation is made ready, and its Worker awake, before the silence. */
async function withSleep(ms: number, work: (run: Start) => Promise<unknown>): Promise<void> {
  const operation = await prepareSleep(ms, directory);
  try {
    const run: Start = () => operation.run();
    await run(0);
    await sleep(SILENCE_MS);
    await work(run);
  } finally {
    await operation.close();
  }
}

const work = CASES[name];
if (work === undefined) {
  console.error(`which workload? one of ${Object.keys(CASES).join(', ')}`);
  process.exitCode = 2;
} else {
  // A recorder needs a moment to start; what is judged begins when loading is over.
  await sleep(SILENCE_MS);
  await work();
}
rmSync(directory, { recursive: true, force: true });
