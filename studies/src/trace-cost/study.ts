// What recording costs the app. A server that hashes and one that reads files, at half of their capacity and saturated, each
// traced and untraced in blocks of fresh processes; writes docs/results/trace.md, a quick run .cache/study-trace/trace.md.
import { tmpdir } from 'node:os';
import {
  captureEnvironment,
  completeBlocks,
  createRandom,
  type Random,
  readOptions,
  runBlocks,
} from 'plimsoll/lab';
import { type Command, type LifeCycle, withGuardian } from '../common/command.js';
import { RESULTS, scratch, writeOutput } from '../common/paths.js';
import { arrive, type Drive, saturate } from './load.js';
import { APPS, type Arms, type Cell, CLIENTS, tracePage } from './page.js';
import { type AppRun, type Plan, runApp } from './run.js';

/** Too few blocks for an interval of 95 %: it proves that everything runs. */
const QUICK: Plan = { isQuick: true, blocks: 2, warmMs: 500, ms: 1500 };
const FULL: Plan = { isQuick: false, blocks: 12, warmMs: 1000, ms: 5000 };

type Arm = 'untraced' | 'traced';

export const traceCost: Command = {
  name: 'trace',
  run(args) {
    const { values } = readOptions(args, { quick: { type: 'boolean' } });
    const plan = values.quick ? QUICK : FULL;
    return withGuardian(async (cycle) => {
      const directory = cycle.guardian.temporaryDirectory();
      const random = createRandom(1);
      const cells: Cell[] = [];
      for (const app of Object.keys(APPS)) {
        const run = (traced: boolean, drive: Drive) => runApp({ app, traced, drive, plan, directory }, cycle);
        const { rate } = await run(false, saturate(CLIENTS));
        const loads = { '50 %': arrive(rate / 2, random), saturated: saturate(CLIENTS) };
        for (const [load, drive] of Object.entries(loads))
          cells.push({
            app,
            load,
            ...(await compare(`${app}, ${load}`, plan, random, cycle, (arm) => run(arm, drive))),
          });
      }
      const page = tracePage(cells, plan, captureEnvironment({ directory: tmpdir() }));
      writeOutput(plan.isQuick ? scratch('trace') : RESULTS, 'trace.md', page);
      process.stdout.write(page);
      return 0;
    });
  },
};

/** Traced and untraced in randomised blocks, with a twin of the untraced. */
async function compare(
  title: string,
  { blocks }: Plan,
  random: Random,
  { signal }: LifeCycle,
  run: (traced: boolean) => Promise<AppRun>,
): Promise<Arms> {
  const arms: readonly Arm[] = ['untraced', 'traced'];
  const outcome = await runBlocks<AppRun, Arm>({
    sizes: arms,
    baseline: 'untraced',
    blocks,
    random,
    run: (arm) => run(arm === 'traced'),
    cpuSecondsOf: ({ cpuSeconds }) => cpuSeconds,
    onRun: ({ block, arm }) => process.stderr.write(`${title}: block ${block + 1} of ${blocks}, ${arm}\n`),
  });
  signal.throwIfAborted();
  if (outcome.error !== undefined) throw outcome.error;
  const complete = completeBlocks(outcome, arms);
  const of = (arm: Arm | 'twin'): AppRun[] => (complete.get(arm) ?? []).map(({ result }) => result);
  return { untraced: of('untraced'), traced: of('traced'), twin: of('twin') };
}
