import { randomInt } from 'node:crypto';
import type { Command } from 'commander';
import pc from 'picocolors';
import { PlimsollError } from '../errors.js';
import { cpuCount } from '../host/cpu.js';
import { Guardian } from '../lab/guardian.js';
import { DEFAULT_POOL_SIZE } from '../libuv/pool-size.js';
import { load } from '../load/load.js';
import { AS_IT_IS, CASES, type LoadCase, type LoadOptions, type LoadTarget } from '../load/options.js';
import { type Mode, modes } from '../load/target/sample.js';
import { loadReport } from '../report/load.js';
import { loadProgressText } from '../report/progress.js';
import { terminalStyle } from '../report/style.js';
import { tableName } from '../results/words.js';
import { loadExitCode } from './exit-code.js';
import { interruptSignal } from './interrupt.js';
import { type JsonOutput, openJsonOutput } from './json-output.js';
import { type KeptResult, openKeptResult } from './kept-result.js';
import { OPERATION_DEFAULTS, type OperationFlags, parseOperation } from './operation.js';
import { ProgressLine } from './progress-line.js';
import { parseCount, parsePositive, parseSizes, parseUrl } from './values.js';

const SIZES = '4,8,12,16,32,64,128,256,512,1024';
const DEADLINE_SECONDS = 600;
const MOST_CLIENTS = 10_000;

interface LoadFlags extends Partial<OperationFlags> {
  mode?: string;
  instances?: string;
  sizes?: string;
  case?: string;
  parallel?: string;
  requests?: string;
  rate?: string;
  duration?: string;
  blocks: string;
  url?: string;
  bystander?: string;
  seed?: string;
  deadline: string;
  resume?: boolean;
  strict?: boolean;
  json?: string;
  quiet?: boolean;
}

/** `plimsoll load`: arguments in, exit code out. */
export function addLoadCommand(program: Command): void {
  program
    .command('load')
    .description('put a server under load at every pool size: the sample server, or yours')
    .argument('[command...]', 'with --url: the command that starts your server, after --')
    .option('--mode <list>', `how the sample server runs: ${modes.join(', ')} (default: node)`)
    .option('--instances <n>', 'workers of the cluster modes (default: 2)')
    .option('--sizes <list>', `default, double, cpus, or numbers from 1 to 1024 (default: ${SIZES})`)
    .option('--case <list>', '1 (1 client × 15 requests), 2 (15 × 1), 3 (15 × 5), all (default: 1)')
    .option('--parallel <p>', 'clients of your own case, each of which waits for its answers')
    .option('--requests <r>', 'requests of each client, one after another')
    .option('--rate <r>', 'open loop: requests a second at random moments, whether or not answers come')
    .option('--duration <seconds>', 'of the open loop')
    .option('--ops <n>', `operations that a request starts (default: ${OPERATION_DEFAULTS.ops})`)
    .option(
      '--operation <name>',
      `pbkdf2, scrypt, gzip, randomBytes, readFile, stat, lookup, sleep:MS, or the path of a module (default: ${OPERATION_DEFAULTS.operation})`,
    )
    .option('--iterations <n>', `of pbkdf2 (default: ${OPERATION_DEFAULTS.iterations})`)
    .option('--scale <x>', 'multiplies the cost of an operation (default: 1)')
    .option('--blocks <n>', 'times that every size is measured; 6 or more give verdicts', '1')
    .option('--url <url>', 'load your own server instead')
    .option('--bystander <url>', 'a trivial request of it, asked at a fixed rate beside the load')
    .option('--seed <n>', 'seed of the order of the runs and of the open loop (default: random)')
    .option('--deadline <seconds>', 'a run that takes longer is taken for hung', String(DEADLINE_SECONDS))
    .option('--resume', 'keep every run in the file of --json, and do not measure again what it holds')
    .option('--strict', 'exit with 3 when machine or client are too noisy to tell')
    .option('--json <file>', 'write the result as JSON; - for standard output')
    .option('--quiet', 'no progress')
    .addHelpText('after', HELP)
    .exitOverride()
    .action(async (command: string[], flags: LoadFlags) => {
      process.exitCode = await runLoadCommand(command, flags);
    });
}

const HELP = `
Examples:
  $ plimsoll load --scale 0.1                            the sample server, ten sizes, in about a minute
  $ plimsoll load --scale 0.1 --blocks 6 --sizes 2,4,8   verdicts
  $ plimsoll load --mode pm2-cluster --instances 4 --case all
  $ plimsoll load --rate 20 --duration 30 --sizes 4,16   latency at a fixed rate
  $ plimsoll load --url http://127.0.0.1:3000/login --bystander http://127.0.0.1:3000/health -- node server.js

Exit codes: 0 fine, 2 bad input, 3 too noisy (--strict), 4 the server failed or died, 130 interrupted`;

const usage = (text: string): PlimsollError => new PlimsollError('PLIMSOLL_USAGE', text);

/** The options of `plimsoll load` from its flags. @throws {PlimsollError} PLIMSOLL_USAGE */
function readOptions(command: readonly string[], flags: LoadFlags): LoadOptions {
  const target = readTarget(command, flags);
  if (target.kind === 'url' && flags.sizes !== undefined)
    throw usage(
      '--sizes: a server that runs already has the size it has; add -- and the command that starts it',
    );
  const sizes = target.kind === 'url' ? [AS_IT_IS] : parseSizes(flags.sizes ?? SIZES, cpuCount());
  return {
    target,
    cases: readCases(flags),
    sizes,
    baseline: sizes.includes(DEFAULT_POOL_SIZE) ? DEFAULT_POOL_SIZE : (sizes[0] as number),
    blocks: parseCount(flags.blocks, '--blocks', 1, 100),
    seed: flags.seed === undefined ? randomInt(2 ** 31) : parseCount(flags.seed, '--seed', 0, 2 ** 31 - 1),
    deadlineMs: parsePositive(flags.deadline, '--deadline', 86_400) * 1000,
  };
}

/** Flags that say something about the sample server only. */
const SAMPLE_ONLY = ['mode', 'instances', 'ops', 'operation', 'iterations', 'scale'] as const;

function readTarget([executable, ...args]: readonly string[], flags: LoadFlags): LoadTarget {
  if (flags.url === undefined) {
    if (executable !== undefined)
      throw usage(`--url is missing: what should be asked of ${JSON.stringify(executable)}?`);
    if (flags.bystander !== undefined)
      throw usage('--bystander goes with --url; the sample server has its own');
    return sampleTarget(flags);
  }
  const wrong = SAMPLE_ONLY.find((name) => flags[name] !== undefined);
  if (wrong !== undefined) throw usage(`--${wrong} is of the sample server and cannot go with --url`);
  const url = parseUrl(flags.url, '--url');
  const bystander = flags.bystander === undefined ? null : parseUrl(flags.bystander, '--bystander');
  return executable === undefined
    ? { kind: 'url', url, bystander }
    : { kind: 'command', command: [executable, ...args], url, bystander };
}

function sampleTarget(flags: LoadFlags): LoadTarget {
  const chosen = (flags.mode ?? 'node').split(',').map(parseMode);
  if (flags.instances !== undefined && !chosen.some(isCluster))
    throw usage(`--instances goes with the modes cluster and pm2-cluster, not with ${chosen.join(', ')}`);
  const given = Object.entries(flags).filter(([, value]) => value !== undefined);
  return {
    kind: 'sample',
    modes: [...new Set(chosen)],
    instances: parseCount(flags.instances ?? '2', '--instances', 1, 256),
    ...parseOperation({ ...OPERATION_DEFAULTS, ...Object.fromEntries(given) }),
  };
}

const isCluster = (mode: Mode): boolean => mode.endsWith('cluster');

export function parseMode(text: string): Mode {
  const mode = modes.find((name) => name === text.trim());
  if (mode !== undefined) return mode;
  throw usage(`--mode: must be ${modes.join(', ')}, not ${JSON.stringify(text)}`);
}

function readCases(flags: LoadFlags): LoadCase[] {
  const { parallel, requests, rate, duration } = flags;
  const kinds = [
    flags.case !== undefined && '--case',
    (parallel ?? requests) !== undefined && '--parallel and --requests',
    (rate ?? duration) !== undefined && '--rate and --duration',
  ].filter((kind) => kind !== false);
  if (kinds.length > 1) throw usage(`${kinds.join(' / ')}: only one kind of traffic at a time`);
  if ((rate ?? duration) !== undefined) return [openCase(rate, duration)];
  if ((parallel ?? requests) !== undefined)
    return [
      {
        name: 'own',
        kind: 'closed',
        parallel: parseCount(parallel ?? '1', '--parallel', 1, MOST_CLIENTS),
        requests: parseCount(requests ?? '1', '--requests', 1, 1_000_000),
      },
    ];
  return namedCases(flags.case ?? '1');
}

function openCase(rate: string | undefined, duration: string | undefined): LoadCase {
  if (rate === undefined || duration === undefined) throw usage('--rate and --duration go together');
  return {
    name: 'open',
    kind: 'open',
    rate: parsePositive(rate, '--rate', 100_000),
    durationMs: parsePositive(duration, '--duration', 86_400) * 1000,
  };
}

function namedCases(text: string): LoadCase[] {
  if (text === 'all') return [...CASES];
  const names = [...new Set(text.split(',').map((name) => name.trim()))];
  return names.map((name) => {
    const traffic = CASES.find((candidate) => candidate.name === name);
    if (traffic === undefined) throw usage(`--case: must be 1, 2, 3 or all, not ${JSON.stringify(text)}`);
    return traffic;
  });
}

/** Where the JSON goes, and what it holds already. */
function openOutput({ json, resume }: LoadFlags): { output: JsonOutput | null; kept: KeptResult | null } {
  if (resume !== true) return { output: openJsonOutput(json), kept: null };
  if (json === undefined || json === '-')
    throw usage('--resume needs --json FILE: the file that holds the runs');
  const kept = openKeptResult(json);
  return { output: kept, kept };
}

async function runLoadCommand(command: readonly string[], flags: LoadFlags): Promise<number> {
  const { output, kept } = openOutput(flags);
  const earlier = kept?.earlier ?? null;
  // Without --seed a continued measurement goes on with its own.
  const seed = flags.seed ?? earlier?.method.seed.toString();
  const options = readOptions(command, seed === undefined ? flags : { ...flags, seed });
  // With the JSON on stdout, everything for people goes to stderr.
  const people = flags.json === '-' ? process.stderr : process.stdout;
  const progress = new ProgressLine(process.stderr, flags.quiet === true);
  const interrupt = interruptSignal();
  const guardian = new Guardian();
  try {
    const result = await load(
      options,
      guardian,
      interrupt.signal,
      {
        onProgress: (state) =>
          progress.show(`${state.mode} ${state.case} ${state.block} ${state.size}`, (width) =>
            loadProgressText(state, width),
          ),
        ...(kept === null ? {} : { onResult: (partial) => kept.write(partial) }),
      },
      earlier,
    );
    progress.clear();
    output?.write(result);
    if (result.cells.length > 0) people.write(`${loadReport(result, terminalStyle(people))}\n`);
    const several = result.method.tables.length > 1;
    for (const { mode, case: name, message } of result.failures)
      process.stderr.write(
        `${pc.red('plimsoll:')} ${several ? `${tableName(mode, name)}: ` : ''}${message}\n`,
      );
    return loadExitCode(result, flags.strict === true);
  } finally {
    progress.clear();
    await guardian.close();
    interrupt.dispose();
  }
}
