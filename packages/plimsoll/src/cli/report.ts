import type { Command } from 'commander';
import { report } from '../api/report.js';
import { runCommand } from './command-run.js';

interface ReportFlags {
  out: string;
  title?: string;
}

/** `plimsoll report`: arguments in, exit code out. */
export function addReportCommand(program: Command): void {
  program
    .command('report')
    .description('make one HTML page of results, to look at and to share')
    .argument('<file...>', 'what the commands wrote with --json; packed by gzip or not')
    .option('--out <file>', 'the page; - for standard output', 'report.html')
    .option('--title <text>', 'of the page')
    .addHelpText('after', HELP)
    .exitOverride()
    .action(async (files: string[], flags: ReportFlags) => {
      process.exitCode = await runReport(files, flags);
    });
}

const HELP = `
Examples:
  $ plimsoll report bench.json                              report.html: the verdict, curves, tables
  $ plimsoll bench crypto --html crypto.html                the same page of one command, at once

Exit codes: 0 fine, 2 bad input or output`;

/** Files are read before the output is opened: it may be one of them by mistake. */
function runReport(files: readonly string[], { out, title }: ReportFlags): Promise<number> {
  const page = report(files, { title });
  return runCommand({ html: out }, async ({ finish }) => {
    finish({ html: () => page }, () => null);
    return 0;
  });
}
