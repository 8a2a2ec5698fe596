import { basename } from 'node:path';
import pc from 'picocolors';
import type { TypedOptions } from '../api/options.js';
import { readValue } from '../api/values.js';
import { printable } from '../host/printable.js';
import { passOn } from './pass-on.js';

export async function run({ command, size: asked, quiet }: TypedOptions<'run'>): Promise<number> {
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
  say(`UV_THREADPOOL_SIZE=${size} (${because})`);
  if (/^pm2(\.cmd)?$/.test(basename(command[0] ?? '')))
    say('PM2 keeps the environment of the first start of an app: restart it with --update-env');
  return passOn(command, { ...process.env, UV_THREADPOOL_SIZE: String(size) });
}
