import { basename } from 'node:path';
import type { Command } from 'commander';
import pc from 'picocolors';
import { recommendedSize } from '../api/recommended-size.js';
import { cpuCount, effectiveCpus } from '../host/cpu.js';
import { printable } from '../host/printable.js';
import { clampPoolSize, DEFAULT_POOL_SIZE } from '../libuv/pool-size.js';
import { formatCount } from '../report/format.js';
import { passOn } from './pass-on.js';
import { parseSize } from './values.js';

interface RunFlags {
  size: string;
  work?: string;
  quiet?: boolean;
}

/** `plimsoll run`: arguments in, the exit code of the command out. */
export function addRunCommand(program: Command): void {
  program
    .command('run')
    .description('start your command with the right pool size, before anything in it uses the pool')
    .argument('<command...>', 'what to run, after --')
    .option(
      '--size <size>',
      'a number from 1 to 1024; default (4); double (8); cpus; auto: cpus, at least 4; or a file, the result of tune or bench',
      'auto',
    )
    .option('--work <name>', 'which work of such a result: crypto')
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

interface Choice {
  readonly size: number;
  readonly because: string;
}

function chooseSize({ size, work }: RunFlags): Choice {
  const cpus = cpuCount();
  if (size === 'auto') {
    const chosen = clampPoolSize(Math.max(DEFAULT_POOL_SIZE, cpus));
    return {
      size: chosen,
      because: `auto: ${formatCount(effectiveCpus(), 'CPU')}, at least ${DEFAULT_POOL_SIZE}; a rule, not a measurement`,
    };
  }
  // `./16` is a file, `16` is not.
  if (/^[\w-]+$/.test(size)) return { size: parseSize(size, cpus, '--size'), because: `--size ${size}` };
  return { size: recommendedSize(size, work), because: `recommended by ${printable(size)}` };
}

async function runCommandWithSize(command: readonly string[], flags: RunFlags): Promise<number> {
  const { size, because } = chooseSize(flags);
  const say = (text: string): void => {
    if (flags.quiet !== true) process.stderr.write(`${pc.dim(`plimsoll: ${text}`)}\n`);
  };
  say(`UV_THREADPOOL_SIZE=${size} (${because})`);
  if (/^pm2(\.cmd)?$/.test(basename(command[0] ?? '')))
    say('PM2 keeps the environment of the first start of an app: restart it with --update-env');
  return passOn(command, { ...process.env, UV_THREADPOOL_SIZE: String(size) });
}
