// What recording costs the app. A server that hashes and one that reads files, at half of their capacity and saturated: traced and
// untraced ones take turns by slices of load; writes docs/results/trace.md, a quick run .cache/study-trace/trace.md.
import { tmpdir } from 'node:os';
import { captureEnvironment, createRandom, median, type Random, readOptions } from '@plimsoll/lab';
import { type Command, type LifeCycle, withGuardian } from '../common/command.js';
import { isSettled } from '../common/compare.js';
import { RESULTS, scratch, writeOutput } from '../common/paths.js';
import { isWhole } from '../common/result.js';
import { takeTurns } from '../common/take-turns.js';
import { parseCount } from '../common/values.js';
import { arrive, type Drive, saturate } from './load.js';
import { APPS, ARMS, type Cell, CLIENTS, cellOf, tracePage } from './page.js';
import { openApp, type Plan } from './run.js';

/** Too little for an interval: it proves that everything runs. */
const QUICK: Plan = { isQuick: true, timeMs: 1500, warmMs: 200, ms: 400 };
const FULL: Plan = { isQuick: false, timeMs: 70_000, warmMs: 1000, ms: 1000 };
const MOST_SECONDS = 3600;

export const traceCost: Command = {
  name: 'trace',
  run(args) {
    const { values } = readOptions(args, { quick: { type: 'boolean' }, time: { type: 'string' } });
    const chosen = values.quick ? QUICK : FULL;
    const plan =
      values.time === undefined
        ? chosen
        : { ...chosen, timeMs: parseCount(values.time, '--time', 1, MOST_SECONDS) * 1000 };
    return withGuardian(async (cycle) => {
      const directory = cycle.guardian.temporaryDirectory();
      const random = createRandom(1);
      const cells: Cell[] = [];
      for (const app of Object.keys(APPS)) {
        const rate = await saturatedRate({ app, plan, directory }, cycle);
        const loads = { '50 %': arrive(rate / 2, random), saturated: saturate(CLIENTS) };
        for (const [load, drive] of Object.entries(loads))
          cells.push(await measure({ app, load, drive, plan, directory }, random, cycle));
      }
      const page = tracePage(cells, plan, captureEnvironment({ directory: tmpdir() }));
      const isResult = !plan.isQuick && values.time === undefined;
      writeOutput(isResult ? RESULTS : scratch('trace'), 'trace.md', page);
      process.stdout.write(page);
      return cells.every(({ condition }) => isWhole(condition)) ? 0 : 4;
    });
  },
};

interface Place {
  readonly app: string;
  readonly plan: Plan;
  readonly directory: string;
}

async function saturatedRate(place: Place, cycle: LifeCycle): Promise<number> {
  const turn = await openApp({ ...place, isTraced: false, drive: saturate(CLIENTS) }, cycle);
  try {
    const { metrics } = await turn.round('plain');
    await turn.close();
    return metrics.rate ?? Number.NaN;
  } finally {
    await turn.end();
  }
}

async function measure(
  { load, drive, ...place }: Place & { load: string; drive: Drive },
  random: Random,
  cycle: LifeCycle,
): Promise<Cell> {
  const { app, plan } = place;
  const jobs: number[] = [];
  const turns = await takeTurns({
    contenders: ARMS.map(({ id }) => id),
    baseline: 'untraced',
    isolated: false,
    timeMs: plan.timeMs,
    random,
    signal: cycle.signal,
    open: (arm) =>
      openApp(
        {
          ...{ ...place, drive, isTraced: arm === 'traced' },
          onTrace: ({ processes }) => jobs.push(processes[0]?.jobs.length ?? 0),
        },
        cycle,
      ),
    isSettled: (until) => isSettled(cellOf(app, load, until, null).condition),
    onRound: (generation, arm) =>
      process.stderr.write(`${app}, ${load}: generation ${generation + 1}, ${arm}\n`),
  });
  return cellOf(app, load, turns, jobs.length === 0 ? null : median(jobs));
}
