import type { Command } from 'commander';
import { TUNE_TIME_MS, type TuneOptions, tune } from '../api/tune.js';
import { usage } from '../errors.js';
import { cpuCount } from '../host/cpu.js';
import { reportPage } from '../report/html/page.js';
import { tuneProgressText } from '../report/progress.js';
import { tuneReport } from '../report/tune.js';
import { tuneObjectives } from '../results/tune.js';
import type { TuneProgress } from '../tune/progress.js';
import { runCommand } from './command-run.js';
import { tuneExitCode } from './exit-code.js';
import { parseCount, parsePositive, parseSize, parseSizes } from './values.js';

interface TuneFlags {
  sizes?: string;
  baseline?: string;
  objective: string;
  time: string;
  onPort?: string;
  url?: string[];
  connections?: string;
  method?: string;
  header?: string[];
  body?: string;
  rate?: string;
  seed?: string;
  output?: boolean;
  strict?: boolean;
  json?: string;
  html?: string;
  quiet?: boolean;
}

const repeated = (value: string, earlier: string[] = []): string[] => [...earlier, value];

/** `plimsoll tune`: arguments in, exit code out. */
export function addTuneCommand(program: Command): void {
  program
    .command('tune')
    .description('measure your own app at every pool size while it runs, and say which to take')
    .argument('[command...]', 'what to start, after --; or the PID of a Node process that runs already')
    .option('--on-port <command>', 'who sends requests, once the app listens; $PORT is its port')
    .option('--url <url>', 'send requests to this URL, or path of the app; may be repeated', repeated)
    .option('-c, --connections <n>', 'with --url: clients that wait for their answers (default: 10)')
    .option('-m, --method <method>', 'with --url: method of the requests (default: GET)')
    .option('-H, --header <name: value>', 'with --url: a header; may be repeated', repeated)
    .option('-b, --body <text>', 'with --url: body of the requests')
    .option('--rate <n>', 'with --url: so many requests per second, whatever the answers take')
    .option(
      '--sizes <list>',
      'default, double, cpus, or numbers from 1 to 1024 (default: 1, 2, CPUs, 2 and 4 times as many, 16, 64)',
    )
    .option('--baseline <size>', 'size that the others are compared with (default: 4; of a PID, what it has)')
    .option('--objective <what>', `what counts: ${tuneObjectives.join(', ')}`, 'mean')
    .option('--time <seconds>', 'most time for the measurement', String(TUNE_TIME_MS / 1000))
    .option('--seed <n>', 'seed of the order of the windows (default: random)')
    .option('--output', 'show the output of the command')
    .option('--strict', 'exit with 3 when it cannot tell')
    .option('--json <file>', 'write the result as JSON; - for standard output')
    .option('--html <file>', 'write a report as one HTML page; - for standard output')
    .option('--quiet', 'no progress')
    .addHelpText('after', HELP)
    .exitOverride()
    .action(async (words: string[], flags: TuneFlags) => {
      process.exitCode = await runTune(words, flags);
    });
}

const HELP = `
Examples:
  $ plimsoll tune --url /login -- node server.js     plimsoll sends the requests
  $ plimsoll tune --on-port 'autocannon http://127.0.0.1:$PORT/' -- npm start
  $ plimsoll tune -- node build.js                   a command that ends
  $ plimsoll tune 4711                               a process that serves already
  $ plimsoll tune --url / --json tuned.json -- node server.js
  $ plimsoll run --size tuned.json -- node server.js

Exit codes: 0 fine, 2 bad input, 3 cannot tell (--strict), 4 the command failed,
130 interrupted`;

const LARGEST_PID = 2 ** 22;

/** @throws {PlimsollError} PLIMSOLL_USAGE */
function readOptions(words: readonly string[], flags: TuneFlags): TuneOptions {
  const [pid] = words.length === 1 && /^\d+$/.test(words[0] ?? '') ? words : [];
  if (words.length === 0)
    throw usage('what should be tuned? give -- and a command, or the PID of a Node process that runs');
  const cpus = cpuCount();
  const optional = <Value>(text: string | undefined, read: (text: string) => Value): Value | undefined =>
    text === undefined ? undefined : read(text);
  return {
    ...(pid === undefined ? { command: words } : { pid: parseCount(pid, 'PID', 1, LARGEST_PID) }),
    sizes: optional(flags.sizes, (text) => parseSizes(text, cpus)),
    baseline: optional(flags.baseline, (text) => parseSize(text, cpus, '--baseline')),
    objective: readObjective(flags.objective),
    timeMs: parsePositive(flags.time, '--time', 86_400) * 1000,
    onPort: flags.onPort,
    urls: flags.url,
    connections: optional(flags.connections, (text) => parseCount(text, '--connections', 1, 10_000)),
    method: flags.method,
    headers: flags.header,
    body: flags.body,
    rate: optional(flags.rate, (text) => parsePositive(text, '--rate', 1_000_000)),
    seed: optional(flags.seed, (text) => parseCount(text, '--seed', 0, 2 ** 31 - 1)),
    // With a document on standard output, the command's own output goes elsewhere.
    stdout: flags.output !== true ? undefined : [flags.json, flags.html].includes('-') ? 'stderr' : 'stdout',
  };
}

function readObjective(text: string): (typeof tuneObjectives)[number] {
  const objective = tuneObjectives.find((name) => name === text.trim());
  if (objective !== undefined) return objective;
  throw usage(`--objective: must be ${tuneObjectives.join(', ')}, not ${JSON.stringify(text)}`);
}

/** Without a terminal there is a line for every tenth of the time. */
const stepOf = ({ phase, share }: TuneProgress): string =>
  phase === 'measuring' ? `${phase} ${Math.floor(share * 10)}` : phase;

function runTune(words: readonly string[], flags: TuneFlags): Promise<number> {
  const options = readOptions(words, flags);
  const { objective = 'mean' } = options;
  return runCommand(flags, async ({ progress, signal, finish }) => {
    const onProgress = (state: TuneProgress): void =>
      progress.show(stepOf(state), (width) => tuneProgressText(state, objective, width));
    const result = await tune(options, { signal, onProgress }).catch((error: unknown) => {
      if (signal.aborted) return null;
      throw error;
    });
    if (result === null) return 130;
    finish({ json: result, html: () => reportPage([{ type: 'tune', document: result }]) }, (style) =>
      tuneReport(result, style),
    );
    return tuneExitCode(result, flags.strict === true);
  });
}
