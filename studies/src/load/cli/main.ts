// `npm run load`, and by it the sample server: arguments in, exit code out.

import { PlimsollError, printable } from '@plimsoll/lab';
import { Command, CommanderError } from 'commander';
import pc from 'picocolors';
import { addLoadCommand } from './load.js';
import { addServeCommand } from './serve.js';

const program = new Command('load')
  .exitOverride()
  .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'load: ')) });

addLoadCommand(program);
addServeCommand(program);

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

function exitCodeOf(error: unknown): number {
  // Commander has printed its own message by now; help is no error.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof PlimsollError) {
    process.stderr.write(`${pc.red('load:')} ${printable(error.message)}\n`);
    return error.exitCode;
  }
  throw error;
}
