#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { COMMANDS, isCommand } from '../api/options.js';

/** Nothing is loaded before a command is chosen. */
async function main([word, ...rest]: readonly string[]): Promise<number> {
  if (word === undefined) return say(FIRST_STEP);
  if (word === '--version' || word === '-v') return say(version());
  const name = word === 'help' ? rest[0] : word;
  if (name === undefined || name === '--help' || name === '-h') return say(help());
  if (isCommand(name)) {
    const { runCommandLine } = await import('./command-line.js');
    return runCommandLine(name, word === 'help' ? ['--help'] : rest);
  }
  const what = name.startsWith('-') ? 'option' : 'command';
  process.stderr.write(
    `plimsoll: unknown ${what} '${name}'; there are ${Object.keys(COMMANDS).join(', ')}\n`,
  );
  return 2;
}

const FIRST_STEP = `plimsoll measures and sizes libuv's thread pool (UV_THREADPOOL_SIZE).

Which size suits your app, and what does it gain?
  $ plimsoll tune -- node server.js

Which size does a program get here, and why?
  $ plimsoll doctor

All commands: plimsoll --help`;

function help(): string {
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(10)}${summary}`);
  return `Usage: plimsoll COMMAND, plimsoll COMMAND --help, plimsoll --version\n\n${lines.join('\n')}`;
}

function version(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

function say(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

// `| head` has read what it wanted; the command goes on, for its files and its exit code.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    if (stream === process.stdout)
      process.stderr.write(`plimsoll: cannot write to standard output (${error.code})\n`);
    process.exit(2);
  });

process.exitCode = await main(process.argv.slice(2));
