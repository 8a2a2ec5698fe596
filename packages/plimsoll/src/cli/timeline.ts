import type { Command } from 'commander';
import { checkUrl } from '../api/check.js';
import { TIMELINE_DEFAULTS, type TimelineOptions, timeline } from '../api/timeline.js';
import { PlimsollError } from '../errors.js';
import { cpuCount } from '../host/cpu.js';
import { reportPage } from '../report/html/page.js';
import { perfettoTrace } from '../report/perfetto.js';
import { timelineReport } from '../report/timeline.js';
import { timelineOperations } from '../timeline/operations.js';
import type { TimelineProgress } from '../timeline/timeline.js';
import { runCommand } from './command-run.js';
import { parseArgs, parseCounts, parsePositive, parseSize } from './values.js';

const MOST_REQUESTS = 1000;

interface TimelineFlags {
  requests: string;
  size: string;
  url?: string;
  args: string;
  deadline: string;
  json?: string;
  html?: string;
  perfetto?: string;
  quiet?: boolean;
}

/** `plimsoll timeline`: arguments in, exit code out. */
export function addTimelineCommand(program: Command): void {
  program
    .command('timeline')
    .description('draw where requests spend their time: waiting for a pool thread, on one, or outside')
    .argument('<operation>', `${timelineOperations.join(', ')}, or PATH[#export]`)
    .option(
      '--requests <list>',
      'how many at once; an experiment for each number',
      TIMELINE_DEFAULTS.requests.join(),
    )
    .option('--size <n>', 'pool size: default, double, cpus, or a number from 1 to 1024', 'default')
    .option('--url <url>', 'for http (default: a server on loopback that takes 100 ms)')
    .option('--args <json>', 'arguments of PATH#export, a JSON array', '[]')
    .option(
      '--deadline <seconds>',
      'an experiment that takes longer counts as hung',
      String(TIMELINE_DEFAULTS.deadlineMs / 1000),
    )
    .option('--json <file>', 'write the result as JSON; - for standard output')
    .option('--html <file>', 'write a report as one HTML page; - for standard output')
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
    operation,
    args: parseArgs(flags.args),
    requests: parseCounts(flags.requests, '--requests', 1, MOST_REQUESTS),
    size: parseSize(flags.size, cpuCount(), '--size'),
    url: flags.url === undefined ? undefined : checkUrl(flags.url, '--url'),
    deadlineMs: parsePositive(flags.deadline, '--deadline', 86_400) * 1000,
  };
}

function runTimeline(operation: string, flags: TimelineFlags): Promise<number> {
  const options = readOptions(operation, flags);
  return runCommand(flags, async ({ progress, signal, finish }) => {
    const onProgress = ({ requests, experiment, experiments }: TimelineProgress): void =>
      progress.show(String(experiment), () => `${requests} at once (${experiment + 1} of ${experiments})`);
    const result = await timeline(options, { signal, onProgress });
    finish(
      {
        json: result,
        perfetto: () => perfettoTrace(result),
        html: () => reportPage([{ type: 'timeline', document: result }]),
      },
      (style) => timelineReport(result, style),
    );
    return result.interrupted ? 130 : 0;
  });
}
