import type { Command } from 'commander';
import { PlimsollError } from '../errors.js';
import { cpuCount } from '../host/cpu.js';
import { perfettoTrace } from '../report/perfetto.js';
import { terminalStyle } from '../report/style.js';
import { timelineReport } from '../report/timeline.js';
import type { TimelineSubject } from '../timeline/messages.js';
import { isOperationName, timelineOperations } from '../timeline/operations.js';
import { type TimelineOptions, timeline } from '../timeline/timeline.js';
import { openJsonOutput } from './json-output.js';
import { parseArgs, parseTarget } from './targets.js';
import { withTools } from './tools.js';
import { parseCounts, parsePositive, parseSize, parseUrl } from './values.js';

const DEADLINE_SECONDS = 60;
const MOST_REQUESTS = 1000;

interface TimelineFlags {
  requests: string;
  size: string;
  url?: string;
  args: string;
  deadline: string;
  json?: string;
  perfetto?: string;
  quiet?: boolean;
}

/** `plimsoll timeline`: arguments in, exit code out. */
export function addTimelineCommand(program: Command): void {
  program
    .command('timeline')
    .description('draw where requests spend their time: waiting for a pool thread, on one, or outside')
    .argument('<operation>', `${timelineOperations.join(', ')}, or PATH[#export]`)
    .option('--requests <list>', 'how many at once; an experiment for each number', '2,4,6')
    .option('--size <n>', 'pool size: default, double, cpus, or a number from 1 to 1024', 'default')
    .option('--url <url>', 'for http (default: a server on loopback that takes 100 ms)')
    .option('--args <json>', 'arguments of PATH#export, a JSON array', '[]')
    .option(
      '--deadline <seconds>',
      'an experiment that takes longer is taken for hung',
      String(DEADLINE_SECONDS),
    )
    .option('--json <file>', 'write the result as JSON; - for standard output')
    .option('--perfetto <file>', 'write a trace for ui.perfetto.dev, a lane per pool thread')
    .option('--quiet', 'no progress')
    .addHelpText('after', HELP)
    .exitOverride()
    .action(async (operation: string, flags: TimelineFlags) => {
      process.exitCode = await runTimeline(operation, flags);
    });
}

const HELP = `
Examples:
  $ plimsoll timeline pbkdf2                        2, 4 and 6 at once on 4 pool threads
  $ plimsoll timeline pbkdf2 --requests 6 --size 6  a thread for each
  $ plimsoll timeline lookup                        only half of the pool serves lookups
  $ plimsoll timeline ./work.mjs#hash               a function of yours

Exit codes: 0 fine, 2 bad input, 4 the operation failed or hung, 130 interrupted`;

function readOptions(operation: string, flags: TimelineFlags): TimelineOptions {
  if (flags.url !== undefined && operation !== 'http')
    throw new PlimsollError('PLIMSOLL_USAGE', `--url: goes with http only, not with ${operation}`);
  if (flags.json === '-' && flags.perfetto === '-')
    throw new PlimsollError(
      'PLIMSOLL_USAGE',
      '--perfetto: only one document fits on standard output, and --json is there',
    );
  return {
    subject: readSubject(operation, flags),
    requests: parseCounts(flags.requests, '--requests', 1, MOST_REQUESTS),
    size: parseSize(flags.size, cpuCount(), '--size'),
    url: flags.url === undefined ? null : parseUrl(flags.url, '--url').href,
    deadlineMs: parsePositive(flags.deadline, '--deadline', 86_400) * 1000,
  };
}

function readSubject(operation: string, flags: TimelineFlags): TimelineSubject {
  const args = parseArgs(flags.args);
  if (isOperationName(operation)) return { kind: 'built-in', name: operation };
  const target = parseTarget(operation, args);
  if (target !== null) return { kind: 'target', target };
  throw new PlimsollError(
    'PLIMSOLL_USAGE',
    `unknown operation ${JSON.stringify(operation)}; it must be one of ${timelineOperations.join(', ')}, or PATH#export`,
  );
}

async function runTimeline(operation: string, flags: TimelineFlags): Promise<number> {
  const options = readOptions(operation, flags);
  const json = openJsonOutput(flags.json);
  const perfetto = openJsonOutput(flags.perfetto, '--perfetto');
  const files = [flags.json, flags.perfetto];
  return withTools(files, flags.quiet === true, async ({ people, progress, guardian, signal }) => {
    const result = await timeline(options, guardian, signal, (requests, done) =>
      progress.show(String(done), () => `${requests} at once (${done + 1} of ${options.requests.length})`),
    );
    progress.clear();
    json?.write(result);
    perfetto?.write(perfettoTrace(result));
    people.write(`${timelineReport(result, terminalStyle(people))}\n`);
    return result.interrupted ? 130 : 0;
  });
}
