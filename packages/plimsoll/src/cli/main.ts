#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import pc from 'picocolors';
import { PlimsollError, usage } from '../errors.js';
import { printable } from '../host/printable.js';
import { addBenchCommand } from './bench.js';
import { addClassifyCommand } from './classify.js';
import { addCompareCommand } from './compare.js';
import { addDoctorCommand } from './doctor.js';
import { addReportCommand } from './report.js';
import { addResizeCommand } from './resize.js';
import { addRunCommand } from './run.js';
import { addTimelineCommand } from './timeline.js';
import { addTopCommand } from './top.js';
import { addTraceCommand } from './trace.js';
import { addTuneCommand } from './tune.js';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const program = new Command('plimsoll')
  .description("Measures and sizes libuv's thread pool (UV_THREADPOOL_SIZE) on this machine")
  .version(version, '-v, --version')
  .exitOverride()
  // With `[options]` in every line, descriptions are left too narrow a column at 80 to be wrapped.
  .configureHelp({ subcommandTerm: (command) => command.name() })
  .configureOutput({
    outputError: (text, write) => write(withAdvice(text.replace(/^error: /, 'plimsoll: '))),
  });

// `| head` has read what it wanted; the command goes on, for its files and its exit code.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });

addTuneCommand(program);
addBenchCommand(program);
addTimelineCommand(program);
addClassifyCommand(program);
addTraceCommand(program);
addCompareCommand(program);
addReportCommand(program);
addTopCommand(program);
addDoctorCommand(program);
addResizeCommand(program);
addRunCommand(program);

try {
  checkName(process.argv[2]);
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

/** With `--help` behind it, Commander would print its general help for any word. */
function checkName(word: string | undefined): void {
  const names = program.commands.map((command) => command.name());
  const wantsHelp = process.argv.includes('--help') || process.argv.includes('-h');
  if (!wantsHelp || word === undefined || word.startsWith('-') || word === 'help' || names.includes(word))
    return;
  throw usage(`unknown command '${word}'; there are ${names.join(', ')}`);
}

/** The options of a command to run are taken for plimsoll's own without the two dashes. */
function withAdvice(text: string): string {
  const [, , name = ''] = process.argv;
  const runs = program.commands.some((one) => one.name() === name && /command/.test(one.usage()));
  return !/unknown option/.test(text) || !runs || process.argv.includes('--')
    ? text
    : `${text.trimEnd()}; put -- before the command: plimsoll ${name} -- node app.js\n`;
}

function exitCodeOf(error: unknown): number {
  // Commander has printed its own message by now; help and version are no errors.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof PlimsollError) {
    process.stderr.write(`${pc.red('plimsoll:')} ${printable(error.message)}\n`);
    return error.exitCode;
  }
  throw error;
}
