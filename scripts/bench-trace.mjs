// `npm run bench:trace [-- --quick]`: what recording costs the app. A server that hashes and one that reads files, at half
// of their capacity and saturated, each traced and untraced in turn, in fresh processes; writes docs/results/trace.md.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { arrive, ask, saturate } from './bench-trace/load.mjs';
import { root, setup } from './setup.mjs';

const quick = process.argv.includes('--quick');
/** Six pairs are the fewest that give an interval of 95 %. */
const BLOCKS = quick ? 6 : 12;
const WARM_MS = quick ? 500 : 1000;
const MEASURED_MS = quick ? 1500 : 5000;
const CLIENTS = 16;
const READY_MS = 20_000;
const SERVER = fileURLToPath(new URL('bench-trace/server.mjs', import.meta.url));
const APPS = {
  pbkdf2: 'one pbkdf2 of 5,000 iterations per request',
  files: '20 readFile of 4 KB per request',
};

setup();
const {
  captureEnvironment,
  createRandom,
  environmentLines,
  Guardian,
  interruptSignal,
  median,
  pairedRatio,
  quantile,
  record,
} = await import('../packages/plimsoll/dist/lab.js');

const interrupt = interruptSignal();
const guardian = new Guardian();
const random = createRandom(1);
const directory = guardian.temporaryDirectory();
let started = 0;
try {
  const cells = [];
  for (const app of Object.keys(APPS)) {
    const capacity = (await run(app, false, saturated)).rate;
    for (const [load, drive] of [
      ['50 %', halfLoaded(capacity / 2)],
      ['saturated', saturated],
    ])
      cells.push({ app, load, ...(await compare(app, load, drive)) });
  }
  const page = pageOf(cells);
  writeFileSync(join(root, 'docs/results/trace.md'), page);
  process.stdout.write(page);
} catch (error) {
  if (!interrupt.signal.aborted) throw error;
  process.exitCode = 130;
} finally {
  await guardian.close();
  interrupt.dispose();
}

function saturated(port, ms) {
  return saturate(port, CLIENTS, ms);
}

function halfLoaded(rate) {
  return (port, ms) => arrive(port, rate, ms, random);
}

/** Pairs of runs, each pair in random order. */
async function compare(app, load, drive) {
  const runs = { traced: [], untraced: [] };
  for (let block = 0; block < BLOCKS; block++) {
    process.stderr.write(`${app}, ${load}: pair ${block + 1} of ${BLOCKS}\n`);
    for (const arm of random.shuffle(['traced', 'untraced']))
      runs[arm].push(await run(app, arm === 'traced', drive));
  }
  return runs;
}

/** One fresh process of the server under its load. */
async function run(app, traced, drive) {
  interrupt.signal.throwIfAborted();
  const portFile = join(directory, `${++started}`);
  process.env.PORT_FILE = portFile;
  const command = [process.execPath, SERVER, app];
  const ended = traced
    ? record(command, { stdout: 'nowhere' }, { guardian, signal: interrupt.signal })
    : untraced(command);
  ended.catch(() => {});
  const port = await portIn(portFile);
  await drive(port, WARM_MS);
  await ask(port, '/begin');
  const { rate, latencies } = await drive(port, MEASURED_MS);
  const { cpuMs } = JSON.parse(await ask(port, '/end'));
  const trace = await ended;
  return {
    rate,
    meanMs: latencies.reduce((sum, ms) => sum + ms, 0) / latencies.length,
    p99Ms: quantile(latencies, 0.99),
    cpuMs: cpuMs / latencies.length,
    jobs: trace?.processes[0]?.jobs.length ?? null,
  };
}

async function untraced([file, ...args]) {
  const child = spawn(file, args, { stdio: 'ignore', detached: true });
  guardian.watch(child.pid);
  await once(child, 'exit');
  guardian.forget(child.pid);
  return null;
}

async function portIn(file) {
  const until = performance.now() + READY_MS;
  while (!existsSync(file)) {
    if (performance.now() > until) throw new Error(`the server did not listen within ${READY_MS / 1000} s`);
    interrupt.signal.throwIfAborted();
    await sleep(10);
  }
  return Number(readFileSync(file, 'utf8'));
}

function pageOf(cells) {
  const change = (cell, of) => {
    const values = (arm) => cell[arm].map((one) => one[of]);
    const { ratio, interval } = pairedRatio(values('traced'), values('untraced'));
    return `${ratio.toFixed(2)} [${interval.low.toFixed(2)}, ${interval.high.toFixed(2)}]`;
  };
  const middle = (cell, arm, of, digits) => median(cell[arm].map((one) => one[of])).toFixed(digits);
  const rows = cells.map((cell) => [
    cell.app,
    cell.load,
    `${middle(cell, 'untraced', 'rate', 0)}`,
    change(cell, 'rate'),
    `${middle(cell, 'untraced', 'meanMs', 2)} ms`,
    change(cell, 'meanMs'),
    change(cell, 'p99Ms'),
    change(cell, 'cpuMs'),
    middle(cell, 'traced', 'jobs', 0),
  ]);
  const line = (row) => `| ${row.join(' | ')} |`;
  const head = [
    'app',
    'load',
    'answers/s',
    'traced',
    'mean latency',
    'traced',
    'p99, traced',
    'CPU per answer, traced',
    'jobs recorded',
  ];
  return `${[
    '# What plimsoll trace costs the app that it records',
    '',
    `Measured by \`npm run bench:trace${quick ? ' -- --quick' : ''}\`: ${BLOCKS} pairs of runs, traced and untraced in random order, each a fresh process`,
    `under ${MEASURED_MS / 1000} s of load after ${WARM_MS / 1000} s of warming up. *Traced* is how many times the untraced run it was, with its 95 %`,
    'interval (Hodges–Lehmann estimate and exact signed-rank interval of the pairs). Saturated is a closed loop of',
    `${CLIENTS} clients; 50 % is half of the rate that the saturated server reached, at random moments.`,
    'The client runs on the same cores.',
    '',
    ...Object.entries(APPS).map(([app, what]) => `- \`${app}\`: ${what}`),
    '',
    line(head),
    line(head.map((_, index) => (index < 2 ? '---' : '---:'))),
    ...rows.map(line),
    '',
    ...environmentLines(captureEnvironment({ directory: root })),
    busyness(loadavg()[0], cpus().length),
  ].join('\n')}\n`;
}

/** The server and its client keep both cores of a small machine busy by themselves. */
function busyness(load, cores) {
  const other =
    load > 2 * cores ? '; other work ran beside it, so measure again before you rely on this' : '';
  return `- load average over the last minute at the end: ${load.toFixed(1)} on ${cores} CPUs${other}`;
}
