import { createRequire } from 'node:module';
import { basename } from 'node:path';
import pc from 'picocolors';
import type { TypedOptions } from '../api/options.js';
import { readValue } from '../api/values.js';
import { usage } from '../errors.js';
import { printable } from '../host/printable.js';
import { passOn } from './pass-on.js';

export async function run({ command, size: asked, max, quiet }: TypedOptions<'run'>): Promise<number> {
  // `./16` is a file, `16` is not.
  const isFile = !/^[\w-]+$/.test(asked);
  // What reads results is not loaded for a number.
  const size = isFile
    ? (await import('../api/result-files.js')).recommendedSize(asked)
    : Number(readValue({ kind: 'size' }, [asked], '--size'));
  const because = isFile ? `recommended by ${printable(asked)}` : `--size ${asked}`;
  const say = (text: string): void => {
    if (!quiet) process.stderr.write(`${pc.dim(`plimsoll: ${text}`)}\n`);
  };
  const rescue = max === undefined ? {} : await rescuing(size, max);
  say(`UV_THREADPOOL_SIZE=${size} (${because})`);
  if (max !== undefined) say(`up to ${max} while threads are blocked (--max ${max})`);
  if (/^pm2(\.cmd)?$/.test(basename(command[0] ?? '')))
    say('PM2 keeps the environment from the first start of an app: restart the app with --update-env');
  return passOn(command, { ...process.env, UV_THREADPOOL_SIZE: String(size), ...rescue });
}

async function rescuing(size: number, max: number): Promise<NodeJS.ProcessEnv> {
  if (process.platform !== 'linux') throw usage('--max: a pool can be resized on Linux only');
  if (max <= size) throw usage(`--max: must be more than --size, ${size}, not ${max}`);
  const { preloading } = await import('../lab/command.js');
  const auto = createRequire(import.meta.url).resolve('@plimsoll/monitor/auto');
  return { ...preloading(auto), PLIMSOLL_MONITOR_RESCUE_MAX: String(max) };
}
