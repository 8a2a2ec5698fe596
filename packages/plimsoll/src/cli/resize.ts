import type { Command } from 'commander';
import { RESIZE_TIMEOUT_MS, resize } from '../api/resize.js';
import { cpuCount } from '../host/cpu.js';
import { resizeReport } from '../report/resize.js';
import { runCommand } from './command-run.js';
import { parseCount, parsePositive, parseSize } from './values.js';

interface ResizeFlags {
  timeout: string;
  json?: string;
}

/** `plimsoll resize`: arguments in, exit code out. */
export function addResizeCommand(program: Command): void {
  program
    .command('resize')
    .description('change the pool size of a Node process while it runs (Linux)')
    .argument('<PID>', 'the process')
    .argument('<size>', 'a number from 1 to 1024; default (4); double (8); or cpus')
    .option(
      '--timeout <seconds>',
      'how long running jobs may keep the pool from shrinking',
      String(RESIZE_TIMEOUT_MS / 1000),
    )
    .option('--json <file>', 'write the result as JSON; - for standard output')
    .addHelpText('after', HELP)
    .exitOverride()
    .action(async (pid: string, size: string, flags: ResizeFlags) => {
      process.exitCode = await runResize(pid, size, flags);
    });
}

const HELP = `
Before Node 26.9 a pool can have at most as many threads as it was started with.
The inspector of the process is open meanwhile, on 127.0.0.1 for a part of a
second, and it says so on its standard error.

Examples:
  $ plimsoll resize 4711 12       four threads hang: eight more serve the others
  $ plimsoll resize 4711 2        as if it had been started with two

Exit codes: 0 done, 2 bad input, or this process's pool cannot have that size,
4 the process did not answer, or ended, 130 interrupted`;

const LARGEST_PID = 2 ** 22;
const LONGEST_SECONDS = 3600;

function runResize(pidText: string, sizeText: string, { timeout, json }: ResizeFlags): Promise<number> {
  const options = {
    pid: parseCount(pidText, 'PID', 1, LARGEST_PID),
    size: parseSize(sizeText, cpuCount(), 'size'),
    timeoutMs: parsePositive(timeout, '--timeout', LONGEST_SECONDS) * 1000,
  };
  return runCommand({ json }, async ({ signal, finish }) => {
    try {
      const result = await resize(options, { signal });
      finish({ json: result }, (style) => resizeReport(result, style));
      return 0;
    } catch (error) {
      if (signal.aborted) return 130;
      throw error;
    }
  });
}
