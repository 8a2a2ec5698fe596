// Tests the table "who makes whom wait" and the widths of the flame graph. Writes docs/results/waiting.md, a quick run
// .cache/study-waiting/.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { captureEnvironment, createRandom, openTraffic, readOptions, speedscope, usage } from '@plimsoll/lab';
import { type TracedProgram, trace } from 'plimsoll';
import { type Command, type LifeCycle, withGuardian } from '../common/command.js';
import { RESULTS, scratch, writeOutput } from '../common/paths.js';
import { PROGRAMS, type Program, type Requests } from '../tune/catalogue.js';
import { install } from '../tune/install.js';
import { openPlace } from '../tune/place.js';
import { freePort, untilItListens } from '../tune/truth.js';
import type { AppSettings } from './app.js';
import { type Generation, type GraphSums, type Run, type WaitingResult, waitingPage } from './page.js';
import { PAIRS, type Pair, type Schedule, scheduleOf } from './pairs.js';

const APP = fileURLToPath(new URL('./app.js', import.meta.url));
const PLANS = {
  full: { generations: 6, runMs: 1900, programs: 10, programMs: 1000 },
  quick: { generations: 1, runMs: 1000, programs: 1, programMs: 500 },
} as const;
type Plan = (typeof PLANS)[keyof typeof PLANS];
/** Commands that run longer are ended. */
const LONGEST_MS = 4000;

export const waitingStudy: Command = {
  name: 'waiting',
  run(args) {
    const { values } = readOptions(args, { quick: { type: 'boolean' }, from: { type: 'string' } });
    if (values.from !== undefined) {
      writeOutput(RESULTS, 'waiting.md', waitingPage(readResult(values.from)));
      return 0;
    }
    const effort = values.quick ? 'quick' : 'full';
    return withGuardian(async (cycle) => {
      const result = await measure(effort, cycle);
      const out = values.quick ? scratch('waiting') : RESULTS;
      writeOutput(out, 'waiting.json', `${JSON.stringify(result)}\n`);
      writeOutput(out, 'waiting.md', waitingPage(result));
      process.stdout.write(waitingPage(result));
      return result.programs.every(({ failure }) => failure === null) ? 0 : 4;
    });
  },
};

function readResult(file: string): WaitingResult {
  const result = JSON.parse(readFileSync(file, 'utf8')) as WaitingResult;
  if (result.kind !== 'waiting') throw usage(`${file} is no result of study:waiting`);
  return result;
}

async function measure(effort: WaitingResult['effort'], cycle: LifeCycle): Promise<WaitingResult> {
  const plan = PLANS[effort];
  const startedAt = new Date();
  const environment = captureEnvironment({ directory: cycle.guardian.temporaryDirectory() });
  const generations = PAIRS.map((): Generation[] => []);
  for (let generation = 0; generation < plan.generations; generation++)
    for (const [index, pair] of PAIRS.entries()) {
      process.stderr.write(`waiting: generation ${generation + 1}, ${pair.id}\n`);
      generations[index]?.push(await generationOf(pair, generation, plan, cycle));
    }
  const programs = await graphs(plan, cycle);
  return {
    ...{ schema: 'plimsoll/1', kind: 'waiting', effort, startedAt: startedAt.toISOString() },
    seconds: Math.round((Date.now() - startedAt.getTime()) / 1000),
    ...{ runMs: plan.runMs, environment, programs },
    pairs: PAIRS.map(({ id }, index) => ({ id, generations: generations[index] ?? [] })),
  };
}

async function generationOf(
  pair: Pair,
  generation: number,
  { runMs }: Plan,
  cycle: LifeCycle,
): Promise<Generation> {
  const random = createRandom(generation + 1);
  const schedule = scheduleOf(pair, runMs, () => random.next());
  const rest = schedule.filter(([, route]) => route !== pair.blocker);
  const record = (calls: Schedule): Promise<Run> => runOf(pair, calls, cycle);
  if (generation % 2 === 0) return { with: await record(schedule), without: await record(rest) };
  const without = await record(rest);
  return { with: await record(schedule), without };
}

async function runOf(
  { victim, blocker }: Pair,
  schedule: Schedule,
  { guardian, signal }: LifeCycle,
): Promise<Run> {
  signal.throwIfAborted();
  const directory = guardian.temporaryDirectory();
  const settings: AppSettings = { schedule, victim, out: join(directory, 'took') };
  const command = [process.execPath, APP, JSON.stringify(settings)];
  const { summary } = await trace({ command, calls: true, stdout: 'nowhere' }, { signal });
  signal.throwIfAborted();
  const { waits, blocking, requests } = summary.programs[0] as TracedProgram;
  const jobs = requests.find(({ request }) => request === victim)?.jobs ?? 0;
  const waited = waits.filter(({ request, cause }) => request === victim && cause === 'thread');
  const pairs = blocking.filter((one) => one.victim.request === victim && one.blocker.request === blocker);
  const tookMs = Number(readFileSync(settings.out, 'utf8'));
  guardian.remove(directory);
  return {
    waitMs: total(waited.map(({ ms }) => ms)) / jobs,
    fallsByMs: total(pairs.map(({ fallsByMs }) => fallsByMs)) / jobs,
    tookMs,
  };
}

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Without programs whose disks or lookups must be slowed, which needs rights. */
async function graphs({ programs, programMs }: Plan, cycle: LifeCycle): Promise<GraphSums[]> {
  const chosen = PROGRAMS.filter(({ slow }) => slow === undefined).slice(0, programs);
  const { directory, broken } = await install({ signal: cycle.signal });
  const sums: GraphSums[] = [];
  for (const program of chosen) {
    process.stderr.write(`waiting: ${program.name}\n`);
    const broke = program.packages.find((name) => broken.has(name));
    try {
      if (broke !== undefined) throw new Error(broken.get(broke));
      sums.push(await graphOf(program, directory, programMs, cycle));
    } catch (error) {
      cycle.signal.throwIfAborted();
      const failure = (error as Error).message.replaceAll(directory, '…');
      sums.push({ name: program.name, jobs: 0, measuredMs: 0, graphMs: 0, failure });
    }
  }
  return sums;
}

async function graphOf(
  program: Program,
  directory: string,
  ms: number,
  cycle: LifeCycle,
): Promise<GraphSums> {
  const place = await openPlace(program, directory, scratch('tune'), cycle);
  try {
    const port = await freePort();
    const over = new AbortController();
    const traced = trace(
      {
        command: ['env', `PORT=${port}`, ...place.command],
        ...{
          calls: true,
          stdout: 'nowhere',
          durationMs: program.kind === 'command' ? LONGEST_MS : undefined,
        },
      },
      { signal: AbortSignal.any([cycle.signal, over.signal]) },
    );
    // Unhandled only until it is awaited.
    traced.catch(() => {});
    try {
      if (program.kind === 'server') await drive(program.requests, port, ms, cycle);
    } finally {
      if (program.kind === 'server') over.abort();
    }
    const { summary } = await traced;
    const { profiles } = JSON.parse(speedscope(summary)) as { profiles: { weights: number[] }[] };
    return {
      name: program.name,
      jobs: total(summary.programs.map(({ jobs }) => jobs)),
      measuredMs: total(summary.programs.map(({ jobs, budget }) => jobs * waitIn(budget))),
      graphMs: total(profiles.flatMap(({ weights }) => weights)),
      failure: null,
    };
  } finally {
    await place.close();
  }
}

const waitIn = (budget: TracedProgram['budget']): number =>
  budget === null ? 0 : budget.totalMs.mean - budget.cpuMs.mean;

async function drive(
  { paths, ...requests }: Requests,
  port: number,
  ms: number,
  cycle: LifeCycle,
): Promise<void> {
  await untilItListens(port, cycle.signal);
  const endpoint = { host: '127.0.0.1', port } as const;
  const traffic = await openTraffic({ from: 'urls', urls: paths, ...requests }, endpoint, {
    ...cycle,
    onPause: () => {},
  });
  await new Promise((resolve) => setTimeout(resolve, ms));
  await traffic.close();
}
