import type { Command } from 'commander';
import { advise } from '../advise/advise.js';
import { type VerifyingRun, verification } from '../advise/verify.js';
import type { WhatIf } from '../advise/what-if.js';
import { PlimsollError } from '../errors.js';
import { cpuCount } from '../host/cpu.js';
import { adviceReport } from '../report/advise.js';
import { terminalStyle } from '../report/style.js';
import { type Advice, type Objective, objectives } from '../results/advice.js';
import type { Trace } from '../results/trace.js';
import { list, printable } from '../results/words.js';
import { createRandom } from '../stats/random.js';
import { type RecordedTrace, record } from '../trace/record.js';
import { readTrace } from '../trace/trace-file.js';
import { type JsonOutput, openJsonOutput } from './json-output.js';
import { type Tools, withTools } from './tools.js';
import { parseCount, parsePositive, parseSize, parseSizes } from './values.js';

const SIZES = '1,2,4,8,12,16,32,64,128,256,512,1024';
const RUNS = 3;
const COMMAND_FAILED = 'trace.command-failed';

interface AdviseFlags {
  sizes: string;
  objective: string;
  cores?: string;
  quota?: string;
  without: string[];
  faster: string[];
  instances?: string;
  verify?: string;
  runs: string;
  size?: string;
  duration?: string;
  seed: string;
  json?: string;
  quiet?: boolean;
}

const repeated = (value: string, earlier: string[]): string[] => [...earlier, value];

/** `plimsoll advise`: arguments in, exit code out. */
export function addAdviseCommand(program: Command): void {
  program
    .command('advise')
    .description('from one recorded run, predict what other pool sizes would do, and say which to take')
    .argument('[file-or-command...]', 'a file of plimsoll trace --out; after --, a command to record')
    .option('--sizes <list>', 'default, double, cpus, or numbers from 1 to 1024', SIZES)
    .option('--objective <what>', `what counts: ${objectives.join(', ')}`, 'mean')
    .option('--cores <n>', 'what if there were so many cores')
    .option('--quota <cores>', 'what if a CPU quota gave so many cores, such as 0.5')
    .option(
      '--without <kind>',
      'what if jobs of a kind were not there, such as dns or fs.stat; may be repeated',
      repeated,
      [],
    )
    .option('--faster <kind=x>', 'what if jobs of a kind were x times as fast; may be repeated', repeated, [])
    .option('--instances <n>', 'what if the work went to so many processes, each with a pool of its own')
    .option(
      '--verify <list>',
      'then measure these sizes, and print how wrong the prediction was; needs a command',
    )
    .option('--runs <n>', 'runs of each size that is verified', String(RUNS))
    .option('--size <n>', 'pool size of the recorded run (default: as it is)')
    .option('--duration <seconds>', 'end the command after so long (default: it ends by itself)')
    .option('--seed <n>', 'of the chances in the simulation', '1')
    .option('--json <file>', 'write the result as JSON; - for standard output')
    .option('--quiet', 'no progress')
    .addHelpText('after', HELP)
    .exitOverride()
    .action(async (operands: string[], flags: AdviseFlags, command: Command) => {
      process.exitCode = await runAdvise(splitOperands(operands, command), flags);
    });
}

const HELP = `
Examples:
  $ plimsoll advise app.trace                          what every size would do
  $ plimsoll advise app.trace --cores 8 --without dns   on another machine, with names cached
  $ plimsoll advise -- node app.js                     record, then predict
  $ plimsoll advise --verify 2,8,16 -- node app.js     and measure how wrong that was

Exit codes: 0 fine, 2 bad input, 4 the command failed, 130 interrupted`;

const usage = (text: string): PlimsollError => new PlimsollError('PLIMSOLL_USAGE', text);

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
    without: flags.without,
    faster: flags.faster.map(readFaster),
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
  readonly operands: Operands;
  readonly sizes: readonly number[];
  readonly verify: readonly number[];
  readonly runs: number;
  readonly objective: Objective;
  readonly whatIf: WhatIf;
  readonly seed: number;
  readonly size: number | null;
  readonly durationMs: number | null;
  readonly isQuiet: boolean;
  readonly hasStdout: boolean;
}

function readRun(operands: Operands, flags: AdviseFlags): AdviseRun {
  const verify = flags.verify === undefined ? [] : parseSizes(flags.verify, cpuCount());
  const recordsNothing = operands.command.length === 0;
  if (recordsNothing && verify.length > 0)
    throw usage('--verify: needs the command to measure; add -- and the command');
  for (const name of ['size', 'duration'] as const)
    if (operands.file !== null && flags[name] !== undefined && verify.length === 0)
      throw usage(`--${name}: is about recording, and ${JSON.stringify(operands.file)} is recorded already`);
  const whatIf = readWhatIf(flags);
  const isChanged = whatIf.cores ?? whatIf.quota ?? whatIf.instances ?? whatIf.without[0] ?? whatIf.faster[0];
  if (verify.length > 0 && isChanged !== undefined)
    throw usage(
      '--verify: measures the command as it is, and cannot tell what is asked for by --cores, --quota, --without, --faster or --instances',
    );
  return {
    operands,
    sizes: [...new Set([...parseSizes(flags.sizes, cpuCount()), ...verify])].sort((a, b) => a - b),
    verify,
    runs: parseCount(flags.runs, '--runs', 1, 100),
    objective: readObjective(flags.objective),
    whatIf,
    seed: parseCount(flags.seed, '--seed', 0, 2 ** 31 - 1),
    size: flags.size === undefined ? null : parseSize(flags.size, cpuCount(), '--size'),
    durationMs:
      flags.duration === undefined ? null : parsePositive(flags.duration, '--duration', 604_800) * 1000,
    isQuiet: flags.quiet === true,
    hasStdout: flags.json !== '-',
  };
}

async function runAdvise(operands: Operands, flags: AdviseFlags): Promise<number> {
  const run = readRun(operands, flags);
  const json = openJsonOutput(flags.json);
  return withTools([flags.json], run.isQuiet, (tools) => adviseWith(run, json, tools));
}

async function adviseWith(run: AdviseRun, json: JsonOutput | null, tools: Tools): Promise<number> {
  const { people, progress, signal } = tools;
  const finish = (advice: Advice): void => {
    progress.clear();
    json?.write(advice);
    people.write(`${adviceReport(advice, terminalStyle(people))}\n`);
  };
  let advice: Advice | null = null;
  try {
    const trace = await traceOf(run, tools);
    const { sizes, objective, whatIf, seed } = run;
    advice = advise(trace, { sizes, objective, whatIf, seed });
    if (run.verify.length > 0 && !signal.aborted)
      advice = { ...advice, verification: verification(advice.predictions, await verifyingRuns(run, tools)) };
    finish(advice);
    return signal.aborted ? 130 : exitCodeOf(trace);
  } catch (error) {
    // What was predicted before is worth having.
    if (advice !== null) finish(advice);
    if (!signal.aborted) throw error;
    return 130;
  }
}

/** The notes of the report say how a command failed; what it recorded until then counts. */
const exitCodeOf = ({ notes }: Trace): number => (notes.some(({ id }) => id === COMMAND_FAILED) ? 4 : 0);

function traceOf(run: AdviseRun, tools: Tools): Trace | Promise<RecordedTrace> {
  if (run.operands.file !== null) return readTrace(run.operands.file);
  tools.progress.show('record', (width) =>
    `recording ${printable(run.operands.command.join(' '))}`.slice(0, width),
  );
  return recordOnce(run, run.size, run.hasStdout ? 'stdout' : 'stderr', tools);
}

function recordOnce(
  { operands, durationMs }: AdviseRun,
  size: number | null,
  stdout: 'stdout' | 'stderr' | 'nowhere',
  { guardian, signal }: Tools,
): Promise<RecordedTrace> {
  const options = { stdout, size, ...(durationMs === null ? {} : { durationMs }) };
  return record(operands.command, options, guardian, signal);
}

/** Every size once in each block, in an order of its own, so that a drift of the machine hits all of them. */
async function verifyingRuns(run: AdviseRun, tools: Tools): Promise<VerifyingRun[]> {
  const { signal } = tools;
  const random = createRandom(run.seed);
  const recorded: VerifyingRun[] = [];
  for (let block = 1; block <= run.runs; block++)
    for (const size of random.shuffle(run.verify)) {
      tools.progress.show(`${block} ${size}`, () => `verifying size ${size}, run ${block} of ${run.runs}`);
      const trace = await recordOnce(run, size, 'nowhere', tools);
      const failed = trace.notes.find(({ id }) => id === COMMAND_FAILED);
      if (failed !== undefined)
        throw new PlimsollError('PLIMSOLL_TARGET_FAILED', `--verify: at size ${size} ${failed.text}`);
      signal.throwIfAborted();
      recorded.push({ size, trace });
    }
  return recorded;
}
