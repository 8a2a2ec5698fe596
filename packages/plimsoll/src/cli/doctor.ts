import type { Command } from 'commander';
import { DOCTOR_WAIT_MS, doctor } from '../api/doctor.js';
import { diagnosisReport } from '../report/doctor.js';
import { runCommand } from './command-run.js';
import { parseCount, parsePositive } from './values.js';

interface DoctorFlags {
  wait: string;
  output?: boolean;
  json?: string;
  quiet?: boolean;
}

/** `plimsoll doctor`: arguments in, exit code out. */
export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('what pool size your app really gets, and why not the one asked for; for CI, too')
    .argument(
      '[command...]',
      'what to start and examine, after --; or the PID of a Node process that runs already',
    )
    .option(
      '--wait <seconds>',
      'how long the command may run before its pools are counted and it is ended',
      String(DOCTOR_WAIT_MS / 1000),
    )
    .option('--output', 'show the output of the command')
    .option('--json <file>', 'write the result as JSON; - for standard output')
    .addHelpText('after', HELP)
    .exitOverride()
    .action(async (command: string[], flags: DoctorFlags) => {
      process.exitCode = await runDoctor(command, flags);
    });
}

const HELP = `
Examples:
  $ plimsoll doctor -- node server.js          start it, count its pool threads, end it
  $ plimsoll doctor 4711                       a Node process that runs already (Linux)
  $ plimsoll doctor                            what a Node program started here would get

Exit codes: 0 the size is the one asked for, 1 it is not, 2 bad input, 3 cannot tell, 4 the command failed,
130 interrupted`;

const LONGEST_SECONDS = 3600;
const LARGEST_PID = 2 ** 22;

function runDoctor(words: readonly string[], { wait, output, json }: DoctorFlags): Promise<number> {
  const [pid] = words.length === 1 && /^\d+$/.test(words[0] ?? '') ? words : [];
  const options = {
    command: words.length === 0 || pid !== undefined ? undefined : words,
    pid: pid === undefined ? undefined : parseCount(pid, 'PID', 1, LARGEST_PID),
    waitMs: parsePositive(wait, '--wait', LONGEST_SECONDS) * 1000,
    stdout: output !== true ? ('nowhere' as const) : json === '-' ? ('stderr' as const) : ('stdout' as const),
  };
  return runCommand({ json }, async ({ signal, finish }) => {
    const result = await doctor(options, { signal });
    finish({ json: result }, (style) => diagnosisReport(result, style));
    if (result.interrupted) return 130;
    if (result.failure !== null) return 4;
    return result.isRight === null ? 3 : result.isRight ? 0 : 1;
  });
}
