// How right the thread-pool monitor is, and what it costs; writes docs/results/monitor.json and monitor.md. `--quick`: windows of half
// a second, into .cache/study-monitor. `--from FILE`: the page of an earlier result.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { captureEnvironment, readOptions, record, type TracedJob, usage } from '@plimsoll/lab';
import { type Command, type LifeCycle, withGuardian } from '../common/command.js';
import { RESULTS, scratch, writeOutput } from '../common/paths.js';
import { exactWaits } from './exact.js';
import { LOADS, monitorPage } from './page.js';
import type { Accuracy, Cost, LoopWindow, MonitorResult, TopCost } from './result.js';
import { topCost } from './top-cost.js';
import type { Reading } from './traffic.js';

const PLANS = {
  full: { load: loadSeconds, loop: 3, windows: 8, cost: 3, pairs: 6, top: { settle: 30, seconds: 30 } },
  quick: { load: () => 1.2, loop: 0.5, windows: 2, cost: 0.5, pairs: 2, top: { settle: 1.5, seconds: 0.5 } },
} as const;
/** Processes that `plimsoll top` watches. */
const WATCHED = [1, 8];

/** Where few canaries wait, a mean needs many: docs/internals/monitor.md says why. */
function loadSeconds(load: string): number {
  if (load === '0.3') return 250;
  return load === '0.7' ? 60 : 25;
}

export const monitorStudy: Command = {
  name: 'monitor',
  run(args) {
    const { values } = readOptions(args, { quick: { type: 'boolean' }, from: { type: 'string' } });
    if (values.from !== undefined) {
      writeOutput(RESULTS, 'monitor.md', monitorPage(readResult(values.from)));
      return 0;
    }
    const effort = values.quick ? 'quick' : 'full';
    return withGuardian(async (cycle) => {
      const result = await measure(effort, cycle);
      const out = values.quick ? scratch('monitor') : RESULTS;
      writeOutput(out, 'monitor.json', `${JSON.stringify(result, null, 2)}\n`);
      writeOutput(out, 'monitor.md', monitorPage(result));
      return 0;
    });
  },
};

function readResult(file: string): MonitorResult {
  const result = JSON.parse(readFileSync(file, 'utf8')) as MonitorResult;
  if (result.kind !== 'monitor') throw usage(`${file} is no result of bench:monitor`);
  return result;
}

async function measure(effort: MonitorResult['effort'], cycle: LifeCycle): Promise<MonitorResult> {
  const plan = PLANS[effort];
  const startedAt = new Date();
  const directory = cycle.guardian.temporaryDirectory();
  const environment = captureEnvironment({ directory });
  const accuracy: Accuracy[] = [];
  for (const load of Object.keys(LOADS)) accuracy.push(await traced(load, plan.load(load), directory, cycle));
  const loop = await run<LoopWindow[]>('loop', [plan.loop, plan.windows], directory, cycle);
  const cost = await run<Cost>('cost', [plan.cost, plan.pairs], directory, cycle);
  console.error('monitor: plimsoll top');
  const top: TopCost[] = [];
  for (const processes of WATCHED) top.push(await topCost(processes, plan.top, cycle));
  return {
    schema: 'plimsoll/1',
    kind: 'monitor',
    effort,
    startedAt: startedAt.toISOString(),
    seconds: (Date.now() - startedAt.getTime()) / 1000,
    environment,
    accuracy,
    loop,
    cost,
    top,
  };
}

const program = (name: string): string => fileURLToPath(new URL(`./${name}.js`, import.meta.url));

/** One load, with the monitor and the recorder of `plimsoll trace` in the same process. */
async function traced(load: string, seconds: number, directory: string, cycle: LifeCycle): Promise<Accuracy> {
  console.error(`monitor: load ${load}`);
  const file = join(directory, 'reading.json');
  const command = [process.execPath, program('traffic'), file, load, String(seconds)];
  const { processes } = await record(command, { size: 1 }, cycle);
  const reading = JSON.parse(readFileSync(file, 'utf8')) as Reading;
  const jobs = (processes[0]?.jobs ?? []).filter(isExact).slice(reading.before);
  if (jobs.length === 0) throw new Error('no job was recorded');
  const exact = exactWaits(jobs);
  return {
    load,
    utilization: exact.utilization,
    seconds: exact.seconds,
    jobs: jobs.length,
    canaries: reading.canaries,
    jobsMean: exact.jobsMean,
    exactMean: exact.mean,
    monitorMean: reading.mean,
    standardError: reading.standardError,
    exactP99: exact.p99,
    monitorP99: reading.p99,
  };
}

const isExact = ({ kind, inferred }: TracedJob): boolean => kind === 'crypto' && !inferred;

/** A program that writes its result into the file that is its first argument. */
async function run<Result>(
  name: string,
  args: readonly number[],
  directory: string,
  { guardian, signal }: LifeCycle,
): Promise<Result> {
  console.error(`monitor: ${name}`);
  signal.throwIfAborted();
  const file = join(directory, `${name}.json`);
  const child = spawn(process.execPath, [program(name), file, ...args.map(String)], {
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
  });
  await once(child, 'spawn');
  const pid = child.pid as number;
  guardian.watch(pid);
  const kill = (): boolean => child.kill('SIGKILL');
  signal.addEventListener('abort', kill);
  const [code] = (await once(child, 'exit')) as [number | null];
  signal.removeEventListener('abort', kill);
  guardian.forget(pid);
  signal.throwIfAborted();
  if (code !== 0) throw new Error(`${name} ended with ${code}`);
  return JSON.parse(readFileSync(file, 'utf8')) as Result;
}
