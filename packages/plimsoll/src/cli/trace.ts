import { closeSync, openSync } from 'node:fs';
import type { Command } from 'commander';
import { trace } from '../api/trace.js';
import { cannotWrite, PlimsollError } from '../errors.js';
import { cpuCount } from '../host/cpu.js';
import { printable } from '../host/printable.js';
import { reportPage } from '../report/html/page.js';
import { traceReport } from '../report/trace.js';
import { DEFAULT_MAX_EVENTS, type RecordOptions } from '../trace/record.js';
import { runCommand } from './command-run.js';
import { traceExitCode } from './exit-code.js';
import { parseCount, parsePositive, parseSize } from './values.js';

interface TraceFlags {
  out?: string;
  duration?: string;
  size?: string;
  maxEvents: string;
  json?: string;
  html?: string;
  quiet?: boolean;
}

/** `plimsoll trace`: arguments in, exit code out. */
export function addTraceCommand(program: Command): void {
  program
    .command('trace')
    .description('run your command and record where the jobs of its thread pools spend their time')
    .argument('<command...>', 'what to run, after --')
    .option('--out <file>', 'every job, for ui.perfetto.dev')
    .option(
      '--duration <seconds>',
      'end the command after so long (default: it ends by itself, or by Ctrl-C)',
    )
    .option('--size <n>', 'pool size: default, double, cpus, or a number from 1 to 1024 (default: as it is)')
    .option('--max-events <n>', 'trace events that each process may record', String(DEFAULT_MAX_EVENTS))
    .option('--json <file>', 'write the summary as JSON; - for standard output')
    .option('--html <file>', 'write a report as one HTML page; - for standard output')
    .option('--quiet', 'no progress')
    .addHelpText('after', HELP)
    .exitOverride()
    .action(async (command: string[], flags: TraceFlags) => {
      process.exitCode = await runTrace(command, flags);
    });
}

const HELP = `
Examples:
  $ plimsoll trace -- node app.js                          until it ends, or Ctrl-C
  $ plimsoll trace --duration 30 --out trace.json -- npm start
  $ plimsoll trace --size 16 -- node app.js                with UV_THREADPOOL_SIZE=16

Exit codes: 0 fine, 2 bad input, 4 the command failed or could not be recorded, 130 interrupted`;

const LONGEST_SECONDS = 7 * 86_400;
const MOST_EVENTS = 100_000_000;

function readOptions({ out, duration, size, maxEvents, json, html }: TraceFlags): RecordOptions {
  return {
    file: out === undefined ? null : writable(out),
    ...(duration === undefined
      ? {}
      : { durationMs: parsePositive(duration, '--duration', LONGEST_SECONDS) * 1000 }),
    size: size === undefined ? null : parseSize(size, cpuCount(), '--size'),
    maxEvents: parseCount(maxEvents, '--max-events', 1, MOST_EVENTS),
    // The document has standard output to itself.
    stdout: [json, html].includes('-') ? 'stderr' : 'stdout',
  };
}

/** The file of --out, known to be writable before anything is recorded. */
function writable(file: string): string {
  if (file === '-')
    throw new PlimsollError('PLIMSOLL_USAGE', '--out: a trace goes to a file; --json - writes the summary');
  try {
    closeSync(openSync(file, 'a'));
    return file;
  } catch (error) {
    throw cannotWrite('--out', file, error);
  }
}

function runTrace(command: readonly string[], flags: TraceFlags): Promise<number> {
  const options = { command, ...readOptions(flags) };
  return runCommand(flags, async ({ signal, finish, say }) => {
    const until = flags.duration === undefined ? 'until it ends' : `for ${flags.duration} s`;
    if (flags.quiet !== true)
      say(`plimsoll: recording ${printable(command.join(' '))} ${until}; Ctrl-C ends it`);
    const { summary } = await trace(options, { signal });
    finish(
      {
        json: summary,
        html: () => reportPage([{ type: 'trace', document: summary }]),
      },
      (style) => traceReport(summary, style),
    );
    return traceExitCode(summary);
  });
}
