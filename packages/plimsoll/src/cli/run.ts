import { basename } from 'node:path';
import type { Command } from 'commander';
import pc from 'picocolors';
import { recommendedSize } from '../api/recommended-size.js';
import { cpuCount } from '../host/cpu.js';
import { printable } from '../host/printable.js';
import { passOn } from './pass-on.js';
import { parseSize } from './values.js';

interface RunFlags {
  size: string;
  quiet?: boolean;
}

/** `plimsoll run`: arguments in, the exit code of the command out. */
export function addRunCommand(program: Command): void {
  program
    .command('run')
    .description('start your command with the right pool size, before anything in it uses the pool')
    .argument('<command...>', 'what to run, after --')
    .requiredOption(
      '--size <size>',
      'a number from 1 to 1024; default (4); double (8); cpus; or a file, the result of tune or bench',
    )
    .option('--quiet', 'do not say which size it is')
    .addHelpText('after', HELP)
    .exitOverride()
    .action(async (command: string[], flags: RunFlags) => {
      process.exitCode = await runCommandWithSize(command, flags);
    });
}

const HELP = `
Examples:
  $ plimsoll run --size tuned.json -- node server.js       what plimsoll tune --json tuned.json recommended
  $ plimsoll run --size cpus -- npm start                  as many threads as CPUs that it really gets
  $ plimsoll run --size 16 -- node server.js               on Windows, too

Exit codes: that of the command; 2 bad input, 4 the command cannot be started`;

async function runCommandWithSize(
  command: readonly string[],
  { size: asked, quiet }: RunFlags,
): Promise<number> {
  // `./16` is a file, `16` is not.
  const isFile = !/^[\w-]+$/.test(asked);
  const size = isFile ? recommendedSize(asked) : parseSize(asked, cpuCount(), '--size');
  const because = isFile ? `recommended by ${printable(asked)}` : `--size ${asked}`;
  const say = (text: string): void => {
    if (quiet !== true) process.stderr.write(`${pc.dim(`plimsoll: ${text}`)}\n`);
  };
  say(`UV_THREADPOOL_SIZE=${size} (${because})`);
  if (/^pm2(\.cmd)?$/.test(basename(command[0] ?? '')))
    say('PM2 keeps the environment of the first start of an app: restart it with --update-env');
  return passOn(command, { ...process.env, UV_THREADPOOL_SIZE: String(size) });
}
