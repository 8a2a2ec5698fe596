import type { Command } from 'commander';
import pc from 'picocolors';
import { BENCH_BLOCKS, BENCH_TIME_MS, type BenchOptions, bench } from '../api/bench.js';
import type { BenchProgress } from '../bench/options.js';
import { PlimsollError } from '../errors.js';
import { cpuCount } from '../host/cpu.js';
import { printable } from '../host/printable.js';
import { benchReport } from '../report/bench.js';
import { reportPage } from '../report/html/page.js';
import { progressText } from '../report/progress.js';
import { runCommand } from './command-run.js';
import { benchExitCode } from './exit-code.js';
import { parseAssignments, parseCount, parseDns, parsePositive, parseSize, parseSizes } from './values.js';

const DEADLINE_SECONDS = 120;

interface BenchFlags {
  sizes: string;
  baseline: string;
  time?: string;
  isolated?: boolean;
  blocks?: string;
  quick?: boolean;
  careful?: boolean;
  ops?: string;
  scale: string;
  set?: string[];
  dns: string;
  seed?: string;
  deadline: string;
  strict?: boolean;
  json?: string;
  html?: string;
  quiet?: boolean;
}

/** `plimsoll bench`: arguments in, exit code out. */
export function addBenchCommand(program: Command): void {
  program
    .command('bench')
    .description('measure what each pool size does to file, crypto, zlib, DNS or your own work')
    .argument(
      '[workload...]',
      'file, crypto, zlib, dns, mixed, or the path of a module of yours (default: all five)',
    )
    .option(
      '--sizes <list>',
      'pool sizes: default, double, cpus, or numbers from 1 to 1024',
      'default,double,cpus',
    )
    .option('--baseline <size>', 'size that the others are compared with', 'default')
    .option(
      '--time <seconds>',
      'most time for one workload; it ends sooner when the answer is known (default: 20)',
    )
    .option('--quick', `--time ${BENCH_TIME_MS.quick / 1000}`)
    .option('--careful', `--time ${BENCH_TIME_MS.careful / 1000}`)
    .option('--isolated', 'one process at a time, for work that owns a port or a file')
    .option('--blocks <n>', `with --isolated: how often every size is measured (default: ${BENCH_BLOCKS})`)
    .option('--ops <n>', 'operations that are handed over at once')
    .option('--scale <x>', 'multiplies the cost of each operation (iterations, bytes)', '1')
    .option('--set <workload.parameter=value>', 'any parameter of a workload; may be repeated', collect)
    .option('--dns <mode>', 'who answers lookups: auto, system, local[:ms] or hosts', 'auto')
    .option('--seed <n>', 'seed of the order of the rounds (default: random)')
    .option(
      '--deadline <seconds>',
      'a process that needs longer for one round counts as hung',
      String(DEADLINE_SECONDS),
    )
    .option('--strict', 'exit with 3 when the machine is too noisy to tell')
    .option('--json <file>', 'write the result as JSON; - for standard output')
    .option('--html <file>', 'write a report as one HTML page; - for standard output')
    .option('--quiet', 'no progress')
    .addHelpText('after', HELP)
    .exitOverride()
    .action(async (names: string[], flags: BenchFlags) => {
      process.exitCode = await runBench(names, flags);
    });
}

const HELP = `
Examples:
  $ plimsoll bench                              all at 4, 8 and the CPUs
  $ plimsoll bench crypto --sizes 1,2,4,8,16    one workload, chosen sizes
  $ plimsoll bench dns --dns local:50           lookups that take 50 ms each
  $ plimsoll bench ./my-workload.mjs --json -   your own work, as JSON

Exit codes: 0 fine, 2 bad input, 3 too noisy (--strict), 4 a workload failed,
130 interrupted`;

const collect = (value: string, values: string[] = []): string[] => [...values, value];

function readOptions(names: readonly string[], flags: BenchFlags): BenchOptions {
  const cpus = cpuCount();
  const baseline = parseSize(flags.baseline, cpus, '--baseline');
  return {
    workloads: names,
    sizes: parseSizes(flags.sizes, cpus),
    baseline,
    isolated: flags.isolated === true,
    timeMs: readTime(flags),
    blocks: readBlocks(flags),
    operations: flags.ops === undefined ? undefined : parseCount(flags.ops, '--ops', 1, 1_000_000),
    scale: parsePositive(flags.scale, '--scale', 1000),
    parameters: parseAssignments(flags.set ?? []),
    dns: parseDns(flags.dns),
    seed: flags.seed === undefined ? undefined : parseCount(flags.seed, '--seed', 0, 2 ** 31 - 1),
    deadlineMs: parsePositive(flags.deadline, '--deadline', 86_400) * 1000,
  };
}

/** @throws {PlimsollError} when it cannot have any effect. */
function readBlocks({ blocks, isolated }: BenchFlags): number | undefined {
  if (blocks === undefined) return undefined;
  const count = parseCount(blocks, '--blocks', 1, 100);
  if (isolated === true) return count;
  throw new PlimsollError(
    'PLIMSOLL_USAGE',
    '--blocks goes with --isolated; without it sizes take turns until the answer is known, for at most --time seconds',
  );
}

function readTime({ time, quick, careful }: BenchFlags): number | undefined {
  if (time !== undefined) return parsePositive(time, '--time', 86_400) * 1000;
  if (quick === true) return BENCH_TIME_MS.quick;
  return careful === true ? BENCH_TIME_MS.careful : undefined;
}

function runBench(names: readonly string[], flags: BenchFlags): Promise<number> {
  const options = readOptions(names, flags);
  return runCommand(flags, async ({ progress, signal, finish, say }) => {
    const onProgress = (state: BenchProgress): void =>
      progress.show(`${state.workload} ${state.generation}`, (width) => progressText(state, width));
    const result = await bench(options, { signal, onProgress });
    finish({ json: result, html: () => reportPage([{ type: 'bench', document: result }]) }, (style) =>
      benchReport(result, style),
    );
    for (const { name, failure, lost } of result.workloads)
      for (const { message } of [...lost, ...(failure === null ? [] : [failure])])
        say(`${pc.red('plimsoll:')} ${printable(name)}: ${printable(message)}`);
    return benchExitCode(result, flags.strict === true);
  });
}
