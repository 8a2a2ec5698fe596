import { randomInt } from 'node:crypto';
import type { Command } from 'commander';
import pc from 'picocolors';
import { bench } from '../bench/bench.js';
import type { BenchOptions } from '../bench/options.js';
import { cpuCount } from '../host/cpu.js';
import { benchReport } from '../report/bench.js';
import { progressText } from '../report/progress.js';
import { terminalStyle } from '../report/style.js';
import { printable } from '../results/words.js';
import { benchExitCode } from './exit-code.js';
import { openJsonOutput } from './json-output.js';
import { withTools } from './tools.js';
import { parseAssignments, parseCount, parseDns, parsePositive, parseSize, parseSizes } from './values.js';
import { chooseWorkloads } from './workloads.js';

const BLOCKS = { quick: 5, default: 10, careful: 20 };
const RUN_MS = { quick: 500, default: 1000 };
const DEADLINE_SECONDS = 120;

interface BenchFlags {
  sizes: string;
  baseline: string;
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
    .option('--blocks <n>', `times that every size is measured (default: ${BLOCKS.default})`)
    .option('--quick', `${BLOCKS.quick} blocks of lighter work: estimates, no verdicts`)
    .option('--careful', `${BLOCKS.careful} blocks`)
    .option('--ops <n>', 'operations of one round')
    .option('--scale <x>', 'multiplies the cost of each operation (iterations, bytes)', '1')
    .option('--set <workload.parameter=value>', 'any parameter of a workload; may be repeated', collect)
    .option('--dns <mode>', 'auto, system, local[:ms] or hosts', 'auto')
    .option('--seed <n>', 'seed of the order of the runs (default: random)')
    .option('--deadline <seconds>', 'a run that takes longer is taken for hung', String(DEADLINE_SECONDS))
    .option('--strict', 'exit with 3 when the machine is too noisy to tell')
    .option('--json <file>', 'write the result as JSON; - for standard output')
    .option('--quiet', 'no progress')
    .addHelpText('after', HELP)
    .exitOverride()
    .action(async (names: string[], flags: BenchFlags) => {
      process.exitCode = await runBench(names, flags);
    });
}

const HELP = `
Examples:
  $ plimsoll bench                                  every workload at 4, 8 and the number of CPUs
  $ plimsoll bench crypto --sizes 1,2,4,8,16        one workload, chosen sizes
  $ plimsoll bench dns --dns local:50               lookups that take 50 ms each
  $ plimsoll bench ./my-workload.mjs --json -       your own work, the result as JSON

Exit codes: 0 fine, 2 bad input, 3 too noisy (--strict), 4 a workload failed, 130 interrupted`;

const collect = (value: string, values: string[] = []): string[] => [...values, value];

function readOptions(names: readonly string[], flags: BenchFlags): BenchOptions {
  const cpus = cpuCount();
  const baseline = parseSize(flags.baseline, cpus, '--baseline');
  const sizes = [...new Set([...parseSizes(flags.sizes, cpus), baseline])].sort((a, b) => a - b);
  const quick = flags.quick === true;
  return {
    workloads: chooseWorkloads(names, {
      quick,
      operations: flags.ops === undefined ? undefined : parseCount(flags.ops, '--ops', 1, 1_000_000),
      scale: parsePositive(flags.scale, '--scale', 1000),
      set: parseAssignments(flags.set ?? []),
    }),
    sizes,
    baseline,
    blocks: readBlocks(flags),
    dns: parseDns(flags.dns),
    seed: flags.seed === undefined ? randomInt(2 ** 31) : parseCount(flags.seed, '--seed', 0, 2 ** 31 - 1),
    runMs: quick ? RUN_MS.quick : RUN_MS.default,
    deadlineMs: parsePositive(flags.deadline, '--deadline', 86_400) * 1000,
  };
}

function readBlocks({ blocks, quick, careful }: BenchFlags): number {
  if (blocks !== undefined) return parseCount(blocks, '--blocks', 1, 100);
  if (quick) return BLOCKS.quick;
  return careful ? BLOCKS.careful : BLOCKS.default;
}

async function runBench(names: readonly string[], flags: BenchFlags): Promise<number> {
  const options = readOptions(names, flags);
  const json = openJsonOutput(flags.json);
  return withTools([flags.json], flags.quiet === true, async ({ people, progress, guardian, signal }) => {
    const result = await bench(options, guardian, signal, (state) =>
      progress.show(`${state.workload} ${state.stage} ${state.block}`, (width) => progressText(state, width)),
    );
    progress.clear();
    json?.write(result);
    people.write(`${benchReport(result, terminalStyle(people))}\n`);
    for (const { name, failure } of result.workloads)
      if (failure !== null)
        process.stderr.write(`${pc.red('plimsoll:')} ${printable(name)}: ${printable(failure.message)}\n`);
    return benchExitCode(result, flags.strict === true);
  });
}
