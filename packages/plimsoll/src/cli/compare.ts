import type { Command } from 'commander';
import { COMPARE_TIME_MS, compare, compareModules, type ModulesProgress } from '../api/compare.js';
import { usage } from '../errors.js';
import { cpuCount } from '../host/cpu.js';
import { DEFAULT_POOL_SIZE } from '../libuv/pool-size.js';
import { comparisonMarkdown, comparisonReport } from '../report/compare.js';
import { reportPage } from '../report/html/page.js';
import { compareProgressText } from '../report/progress.js';
import type { Comparison } from '../results/comparison.js';
import { type CommandRun, runCommand } from './command-run.js';
import { compareExitCode } from './exit-code.js';
import { parseCount, parsePositive, parseSizes } from './values.js';

interface CompareFlags {
  sizes?: string;
  time?: string;
  seed?: string;
  markdown?: boolean;
  json?: string;
  html?: string;
  quiet?: boolean;
}

/** `plimsoll compare`: arguments in, exit code out. */
export function addCompareCommand(program: Command): void {
  program
    .command('compare')
    .description('is the new one slower than the old one? two modules in turn, or two results; for CI')
    .argument('<old>', 'a module as bench takes it, or the JSON of bench')
    .argument('<new>', 'another one of the same kind')
    .option('--sizes <list>', `of modules: default, double, cpus, or numbers (default: ${DEFAULT_POOL_SIZE})`)
    .option(
      '--time <seconds>',
      `of modules: most time; it ends sooner when the answer is known (default: ${COMPARE_TIME_MS / 1000})`,
    )
    .option('--seed <n>', 'of modules: seed of the order of the rounds (default: random)')
    .option('--markdown', 'the report in Markdown, for a comment of a pull request')
    .option('--json <file>', 'write the comparison as JSON; - for standard output')
    .option('--html <file>', 'write a report as one HTML page; - for standard output')
    .option('--quiet', 'no progress')
    .addHelpText('after', HELP)
    .exitOverride()
    .action(async (old: string, now: string, flags: CompareFlags) => {
      process.exitCode = await runCompare(old, now, flags);
    });
}

const HELP = `
Examples:
  $ plimsoll compare ../main/work.mjs ./work.mjs          measured now, in turn: a disturbed machine hits both alike
  $ plimsoll compare ../main/work.mjs ./work.mjs --sizes 4,8 --markdown
  $ plimsoll compare main.json branch.json                two results that were measured before, on one machine

Exit codes: 0 same or better, 1 worse, 2 bad input, 3 cannot tell, 4 a module failed, 130 interrupted`;

const isResult = (path: string): boolean => /\.json$/i.test(path);

function runCompare(old: string, now: string, flags: CompareFlags): Promise<number> {
  const compared = isResult(old) || isResult(now) ? ofResults(old, now, flags) : ofModules(old, now, flags);
  return runCommand(flags, async (run) => {
    const result = await compared(run);
    run.finish(
      { json: result, html: () => reportPage([{ type: 'comparison', document: result }]) },
      (style) => (flags.markdown === true ? comparisonMarkdown(result) : comparisonReport(result, style)),
    );
    return compareExitCode(result);
  });
}

type Compare = (run: CommandRun) => Promise<Comparison>;

/** Flags that say how something is measured. */
const OF_MODULES = ['sizes', 'time', 'seed'] as const;

function ofResults(old: string, now: string, flags: CompareFlags): Compare {
  const wrong = OF_MODULES.find((name) => flags[name] !== undefined);
  if (wrong !== undefined) throw usage(`--${wrong} is of modules; results have been measured already`);
  return async () => compare(old, now);
}

function ofModules(old: string, now: string, { sizes, time, seed }: CompareFlags): Compare {
  const options = {
    sizes: sizes === undefined ? undefined : parseSizes(sizes, cpuCount()),
    timeMs: time === undefined ? undefined : parsePositive(time, '--time', 86_400) * 1000,
    seed: seed === undefined ? undefined : parseCount(seed, '--seed', 0, 2 ** 31 - 1),
  };
  return ({ progress, signal }) => {
    const onProgress = (state: ModulesProgress): void =>
      progress.show(String(state.generation), (width) => compareProgressText(state, width));
    return compareModules(old, now, options, { signal, onProgress });
  };
}
