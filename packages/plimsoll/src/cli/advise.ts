import type { Command } from 'commander';
import {
  ADVISE_SIZES,
  type AdviseOptions,
  advise,
  COMMAND_FAILED,
  VERIFY_RUNS,
  type VerifyOptions,
  verifyAdvice,
} from '../api/advise.js';
import { readTrace, type TraceOptions } from '../api/trace.js';
import { usage } from '../errors.js';
import { cpuCount } from '../host/cpu.js';
import { printable } from '../host/printable.js';
import { adviceReport } from '../report/advise.js';
import { list } from '../report/format.js';
import { reportPage } from '../report/html/page.js';
import { type Advice, type Objective, objectives, type WhatIf } from '../results/advice.js';
import { type CommandRun, runCommand } from './command-run.js';
import type { ProgressLine } from './progress-line.js';
import { SAMPLE } from './trace.js';
import { parseCount, parsePositive, parseSize, parseSizes } from './values.js';

interface AdviseFlags {
  sizes: string;
  objective: string;
  cores?: string;
  quota?: string;
  without?: string[];
  faster?: string[];
  instances?: string;
  verify?: string;
  runs: string;
  size?: string;
  duration?: string;
  sample?: string;
  seed: string;
  json?: string;
  html?: string;
  quiet?: boolean;
}

const repeated = (value: string, earlier: string[] = []): string[] => [...earlier, value];

/** `plimsoll advise`: arguments in, exit code out. */
export function addAdviseCommand(program: Command): void {
  program
    .command('advise')
    .description('from one recorded run, predict what other pool sizes would do, and say which to take')
    .argument('[file-or-command...]', 'a file of plimsoll trace --out; after --, a command to record')
    .option('--sizes <list>', 'default, double, cpus, or numbers from 1 to 1024', ADVISE_SIZES.join())
    .option(
      '--objective <what>',
      `what counts of requests, or else operations or jobs: ${objectives.join(', ')}`,
      'mean',
    )
    .option('--cores <n>', 'what if there were so many cores')
    .option('--quota <cores>', 'what if a CPU quota gave so many cores, such as 0.5')
    .option(
      '--without <kind>',
      'what if jobs of a kind were not there, such as dns or fs.stat; may be repeated',
      repeated,
    )
    .option('--faster <kind=x>', 'what if jobs of a kind were x times as fast; may be repeated', repeated)
    .option('--instances <n>', 'what if the work went to so many processes, each with a pool of its own')
    .option(
      '--verify <list>',
      'then measure these sizes, and print how wrong the prediction was; needs a command',
    )
    .option(
      '--runs <n>',
      'runs of each size that is verified; the smallest runs twice as often, to show the noise',
      String(VERIFY_RUNS),
    )
    .option('--size <n>', 'pool size of the recorded run (default: as it is)')
    .option('--duration <seconds>', 'end the command after so long (default: it ends by itself)')
    .option('--sample <share>', SAMPLE)
    .option('--seed <n>', 'seed of the simulation and of the order of the runs', '1')
    .option('--json <file>', 'write the result as JSON; - for standard output')
    .option('--html <file>', 'write a report as one HTML page; - for standard output')
    .option('--quiet', 'no progress')
    .addHelpText('after', HELP)
    .exitOverride()
    .action(async (operands: string[], flags: AdviseFlags, command: Command) => {
      process.exitCode = await runAdvise(splitOperands(operands, command), flags);
    });
}

const HELP = `
Examples:
  $ plimsoll advise app.trace                        what every size would do
  $ plimsoll advise app.trace --cores 8              on another machine
  $ plimsoll advise app.trace --without dns          with names cached
  $ plimsoll advise -- node app.js                   record, then predict
  $ plimsoll advise --verify 2,8 -- node app.js      and measure how wrong it is

Exit codes: 0 fine, 2 bad input, 4 the command failed, 130 interrupted`;

interface Operands {
  readonly file: string | null;
  readonly command: readonly string[];
}

/** What stands before `--` is a file, what stands after it a command; commander keeps both in one list. */
function splitOperands(operands: readonly string[], { parent }: Command): Operands {
  const raw = (parent as (Command & { rawArgs?: string[] }) | null)?.rawArgs ?? process.argv;
  const at = raw.indexOf('--');
  const command = at === -1 ? [] : raw.slice(at + 1);
  const files = operands.slice(0, operands.length - command.length);
  if (files.length > 1)
    throw usage(
      `${list(files.map((file) => JSON.stringify(file)))}: give one trace, or -- and the command to record`,
    );
  const file = files[0] ?? null;
  if (file === null && command.length === 0)
    throw usage('what should be looked at? give a file of plimsoll trace --out, or -- and a command');
  return { file, command };
}

function readObjective(text: string): Objective {
  const objective = objectives.find((name) => name === text.trim());
  if (objective !== undefined) return objective;
  throw usage(`--objective: must be ${objectives.join(', ')}, not ${JSON.stringify(text)}`);
}

const MOST_CORES = 1024;
const MOST_FACTOR = 1_000_000;

function readWhatIf(flags: AdviseFlags): WhatIf {
  return {
    cores: flags.cores === undefined ? null : parseCount(flags.cores, '--cores', 1, MOST_CORES),
    quota: flags.quota === undefined ? null : parsePositive(flags.quota, '--quota', MOST_CORES),
    without: flags.without ?? [],
    faster: (flags.faster ?? []).map(readFaster),
    instances: flags.instances === undefined ? null : parseCount(flags.instances, '--instances', 1, 256),
  };
}

function readFaster(text: string): WhatIf['faster'][number] {
  const match = /^([^=]+)=([^=]+)$/.exec(text);
  if (match === null)
    throw usage(`--faster: must be KIND=FACTOR, such as crypto=2, not ${JSON.stringify(text)}`);
  const [, kind = '', factor = ''] = match;
  return { kind, factor: parsePositive(factor, '--faster', MOST_FACTOR) };
}

interface AdviseRun {
  readonly source: string | TraceOptions;
  readonly options: AdviseOptions;
  readonly verify: VerifyOptions | null;
}

function readRun({ file, command }: Operands, flags: AdviseFlags): AdviseRun {
  const sizes = flags.verify === undefined ? [] : parseSizes(flags.verify, cpuCount());
  if (command.length === 0 && sizes.length > 0)
    throw usage('--verify: needs the command to measure; add -- and the command');
  for (const name of ['size', 'duration', 'sample'] as const)
    if (file !== null && flags[name] !== undefined && sizes.length === 0)
      throw usage(`--${name}: is about recording, and ${JSON.stringify(file)} is recorded already`);
  const whatIf = readWhatIf(flags);
  const isChanged = whatIf.cores ?? whatIf.quota ?? whatIf.instances ?? whatIf.without[0] ?? whatIf.faster[0];
  if (sizes.length > 0 && isChanged !== undefined)
    throw usage(
      '--verify: measures the command as it is, and cannot tell what is asked for by --cores, --quota, --without, --faster or --instances',
    );
  const seed = parseCount(flags.seed, '--seed', 0, 2 ** 31 - 1);
  const runs = parseCount(flags.runs, '--runs', 1, 100);
  const how =
    flags.duration === undefined
      ? {}
      : { durationMs: parsePositive(flags.duration, '--duration', 604_800) * 1000 };
  const sample = flags.sample === undefined ? {} : { sample: parsePositive(flags.sample, '--sample', 1) };
  const size = flags.size === undefined ? null : parseSize(flags.size, cpuCount(), '--size');
  return {
    // With the document on standard output, the command's own output goes elsewhere.
    source: file ?? { command, size, ...how, ...sample, stdout: flags.json === '-' ? 'stderr' : 'stdout' },
    options: {
      sizes: [...parseSizes(flags.sizes, cpuCount()), ...sizes],
      objective: readObjective(flags.objective),
      whatIf,
      seed,
    },
    verify: sizes.length === 0 ? null : { command, sizes, runs, seed, ...how },
  };
}

function runAdvise(operands: Operands, flags: AdviseFlags): Promise<number> {
  const run = readRun(operands, flags);
  return runCommand(flags, (tools) => adviseWith(run, tools));
}

async function adviseWith(run: AdviseRun, { progress, signal, finish }: CommandRun): Promise<number> {
  const show = (advice: Advice): void =>
    finish({ json: advice, html: () => reportPage([{ type: 'advice', document: advice }]) }, (style) =>
      adviceReport(advice, style),
    );
  let advice: Advice | null = null;
  try {
    advice = await adviceOf(run, progress, signal);
    if (run.verify !== null && !signal.aborted)
      advice = await verifyAdvice(advice, run.verify, {
        signal,
        onProgress: ({ size, run: one, runs }) =>
          progress.show(`${one} ${size}`, () => `verifying size ${size}, run ${one} of ${runs}`),
      });
  } catch (error) {
    // What was predicted before is worth having.
    if (advice !== null) show(advice);
    if (!signal.aborted) throw error;
    return 130;
  }
  show(advice);
  return signal.aborted ? 130 : exitCodeOf(advice);
}

function adviceOf(
  { source, options }: AdviseRun,
  progress: ProgressLine,
  signal: AbortSignal,
): Promise<Advice> {
  if (typeof source === 'string') return advise(readTrace(source), options);
  progress.show('record', (width) => `recording ${printable(source.command.join(' '))}`.slice(0, width - 1));
  return advise(source, options, { signal });
}

/** The notes of the report say how a command failed; what it recorded until then counts. */
const exitCodeOf = ({ trace }: Advice): number =>
  trace.notes.some(({ id }) => id === COMMAND_FAILED) ? 4 : 0;
