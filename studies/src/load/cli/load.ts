import { type CommandRun, printable, progressLine, reportPage, runCommand, usage } from '@plimsoll/lab';
import type { Command } from 'commander';
import pc from 'picocolors';
import { parseCount, parsePositive, parseSizes } from '../../common/values.js';
import { studyReport } from '../../report/study-report.js';
import {
  LOAD_BLOCKS,
  LOAD_DEADLINE_MS,
  LOAD_SIZES,
  LOAD_TIME_MS,
  type LoadOptions,
  type LoadTarget,
  load,
  serverUrl,
} from '../load.js';
import { CASES, type LoadCase, type LoadProgress } from '../options.js';
import { loadReport } from '../report/report.js';
import { tableName } from '../report/table.js';
import { choosesPort } from '../target/command.js';
import { type Mode, modes } from '../target/sample.js';
import { loadExitCode } from './exit-code.js';
import { type KeptResult, openKeptResult } from './kept-result.js';
import { OPERATION_FLAGS, type OperationFlags, parseMode, parseOperation } from './sample-server.js';

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
  time?: string;
  quick?: boolean;
  isolated?: boolean;
  blocks?: string;
  url?: string;
  bystander?: string;
  seed?: string;
  deadline: string;
  resume?: boolean;
  strict?: boolean;
  json?: string;
  html?: string;
  quiet?: boolean;
}

/** `npm run load`: arguments in, exit code out. */
export function addLoadCommand(program: Command): void {
  program
    .command('load')
    .description('put a server under load at every pool size: the sample server, or yours')
    .argument('[command...]', 'with --url: the command that starts your server, after --')
    .option('--mode <list>', `how the sample server runs: ${modes.join(', ')} (default: node)`)
    .option('--instances <n>', 'workers of the cluster modes (default: 2)')
    .option(
      '--sizes <list>',
      `default, double, cpus, or numbers from 1 to 1024 (default: ${LOAD_SIZES.join()})`,
    )
    .option('--case <list>', '1 (1 client × 15 requests), 2 (15 × 1), 3 (15 × 5), all (default: 1)')
    .option('--parallel <p>', 'clients of your own case, each of which waits for its answers')
    .option('--requests <r>', 'requests of each client, one after another')
    .option('--rate <r>', 'open loop: requests a second at random moments, whether or not answers come')
    .option('--duration <seconds>', 'of the open loop')
    .option('--ops <n>', `operations that a request starts (default: ${OPERATION_FLAGS.ops})`)
    .option(
      '--operation <name>',
      `pbkdf2, scrypt, gzip, randomBytes, readFile, stat, lookup, sleep:MS, or the path of a module (default: ${OPERATION_FLAGS.operation})`,
    )
    .option('--iterations <n>', `of pbkdf2 (default: ${OPERATION_FLAGS.iterations})`)
    .option('--scale <x>', 'multiplies the cost of an operation (default: 1)')
    .option(
      '--time <seconds>',
      `most time for one mode and case; it ends sooner when the answer is known (default: ${LOAD_TIME_MS.default / 1000})`,
    )
    .option('--quick', `--time ${LOAD_TIME_MS.quick / 1000}`)
    .option('--isolated', 'one server at a time; always so where --url has a port of its own')
    .option(
      '--blocks <n>',
      `one server at a time: how often every size is measured (default: ${LOAD_BLOCKS}, one size alone 1)`,
    )
    .option(
      '--url <url>',
      'load your own server instead; with {port} for its port all sizes can live at once',
    )
    .option('--bystander <url>', 'a trivial request of it, asked at a fixed rate beside the load')
    .option('--seed <n>', 'seed of the order of the slices and of the open loop (default: random)')
    .option(
      '--deadline <seconds>',
      'a server that needs longer to start, or for one slice, counts as hung',
      String(LOAD_DEADLINE_MS / 1000),
    )
    .option('--resume', 'keep every generation in the file of --json, and do not measure again what it holds')
    .option('--strict', 'exit with 3 when machine or client are too noisy to tell')
    .option('--json <file>', 'write the result as JSON; - for standard output')
    .option('--html <file>', 'write a report as one HTML page; - for standard output')
    .option('--quiet', 'no progress')
    .addHelpText('after', HELP)
    .exitOverride()
    .action(async (command: string[], flags: LoadFlags) => {
      process.exitCode = await runLoadCommand(command, flags);
    });
}

const HELP = `
Examples:
  $ npm run load                                         the sample server, ten sizes, in about a minute
  $ npm run load -- --quick --sizes 2,4,8
  $ npm run load -- --mode pm2-cluster --instances 4 --case all
  $ npm run load -- --rate 20 --duration 30 --sizes 4,16   latency at a fixed rate
  $ npm run load -- --url 'http://127.0.0.1:{port}/login' --bystander 'http://127.0.0.1:{port}/health' -- node server.js

Exit codes: 0 fine, 2 bad input, 3 too noisy (--strict), 4 the server, or one of a size, failed or died, 130 interrupted`;

/** The options of `npm run load` from its flags. @throws {PlimsollError} PLIMSOLL_USAGE */
function readOptions(command: readonly string[], flags: LoadFlags): LoadOptions {
  const target = readTarget(command, flags);
  if (target.kind === 'url' && flags.sizes !== undefined)
    throw usage(
      '--sizes: a server that runs already has the size it has; add -- and the command that starts it',
    );
  return {
    target,
    cases: readCases(flags),
    sizes: target.kind === 'url' ? undefined : parseSizes(flags.sizes ?? LOAD_SIZES.join()),
    isolated: flags.isolated,
    timeMs: readTime(flags),
    blocks: readBlocks(target, flags),
    seed: flags.seed === undefined ? undefined : parseCount(flags.seed, '--seed', 0, 2 ** 31 - 1),
    deadlineMs: parsePositive(flags.deadline, '--deadline', 86_400) * 1000,
  };
}

function readTime({ time, quick }: LoadFlags): number | undefined {
  if (time !== undefined) return parsePositive(time, '--time', 86_400) * 1000;
  return quick === true ? LOAD_TIME_MS.quick : undefined;
}

/** @throws {PlimsollError} when it cannot have any effect. */
function readBlocks(target: LoadTarget, { blocks, isolated }: LoadFlags): number | undefined {
  if (blocks === undefined) return undefined;
  const count = parseCount(blocks, '--blocks', 1, 100);
  if (isolated === true || isAlone(target)) return count;
  throw usage(
    '--blocks goes with --isolated; without it sizes take turns until the answer is known, for at most --time seconds',
  );
}

/** Whether two servers of this kind cannot live at the same time. */
const isAlone = (target: LoadTarget): boolean =>
  target.kind === 'url' || (target.kind === 'command' && !choosesPort(serverUrl(target.url, '--url')));

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
  const url = serverUrl(flags.url, '--url');
  const bystander = flags.bystander === undefined ? undefined : serverUrl(flags.bystander, '--bystander');
  return executable === undefined
    ? { kind: 'url', url, bystander }
    : { kind: 'command', command: [executable, ...args], url, bystander };
}

function sampleTarget(flags: LoadFlags): LoadTarget {
  const chosen = (flags.mode ?? 'node').split(',').map(parseMode);
  if (flags.instances !== undefined && !chosen.some(isCluster))
    throw usage(`--instances goes with the modes cluster and pm2-cluster, not with ${chosen.join(', ')}`);
  return {
    kind: 'sample',
    modes: [...new Set(chosen)],
    instances: parseCount(flags.instances ?? '2', '--instances', 1, 256),
    ...parseOperation(flags),
  };
}

const isCluster = (mode: Mode): boolean => mode.endsWith('cluster');

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

/** The file of `--resume`, which holds what was measured before. */
async function openKept({ json, resume }: LoadFlags): Promise<KeptResult | null> {
  if (resume !== true) return null;
  if (json === undefined || json === '-')
    throw usage('--resume needs --json FILE: the file that holds what was measured');
  return openKeptResult(json);
}

async function runLoadCommand(command: readonly string[], flags: LoadFlags): Promise<number> {
  const kept = await openKept(flags);
  const options = { ...readOptions(command, flags), earlier: kept?.earlier };
  const work = async ({ progress, signal, finish, say }: CommandRun): Promise<number> => {
    const onProgress = (state: LoadProgress): void =>
      progress.show(`${state.mode} ${state.case} ${state.generation}`, (width) =>
        progressLine(tableName(state.mode, state.case), state, width),
      );
    const result = await load(options, { signal, onProgress, onResult: (partial) => kept?.write(partial) });
    await finish(
      result,
      (style) => (result.cells.length > 0 ? loadReport(result, style) : null),
      () => reportPage([{ document: result, report: studyReport }]),
    );
    const several = result.method.tables.length > 1;
    for (const { mode, case: name, message } of result.failures)
      say(`${pc.red('load:')} ${several ? `${tableName(mode, name)}: ` : ''}${message}`);
    for (const { mode, case: name, lost } of result.tables)
      for (const { message } of lost)
        say(`${pc.red('load:')} ${several ? `${tableName(mode, name)}: ` : ''}${printable(message)}`);
    return loadExitCode(result, flags.strict === true);
  };
  return runCommand(flags, work, kept);
}
