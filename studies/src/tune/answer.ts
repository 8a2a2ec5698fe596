import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TuneResult } from '@plimsoll/lab';
import type { LifeCycle } from '../common/command.js';
import type { Program } from './catalogue.js';
import { SIZES, type StudyPlan } from './plan.js';
import type { Answer } from './result.js';
import { freePort } from './truth.js';

const PLIMSOLL = fileURLToPath(new URL('../../../packages/plimsoll/bin/plimsoll.js', import.meta.url));

/** Run `plimsoll tune` as a user does, by its command line. @throws {Error} with its last words when it fails. */
export async function ask(
  program: Program,
  command: readonly string[],
  { tuneSeconds }: Pick<StudyPlan, 'tuneSeconds'>,
  { guardian, signal }: LifeCycle,
): Promise<Answer> {
  signal.throwIfAborted();
  const directory = guardian.temporaryDirectory();
  const file = join(directory, 'tune.json');
  const options = ['--sizes', SIZES.join(','), '--time', String(tuneSeconds), '--json', file, '--quiet'];
  const words = [PLIMSOLL, 'tune', ...options, ...trafficOf(program), '--', ...command];
  const child = spawn(process.execPath, words, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, PORT: String(await freePort()) },
  });
  const interrupt = (): boolean => child.kill('SIGINT');
  signal.addEventListener('abort', interrupt);
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-2_000);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  signal.removeEventListener('abort', interrupt);
  signal.throwIfAborted();
  if (code !== 0 && code !== 3)
    throw new Error(`plimsoll tune ended with ${code}: ${stderr.trim().split('\n').at(-1)}`);
  const result = JSON.parse(readFileSync(file, 'utf8')) as TuneResult;
  guardian.remove(directory);
  const { recommended, confidence, headline, method, sizes } = result;
  return {
    ...{ recommended, confidence, headline },
    seconds: method.seconds,
    stop: method.stop,
    sizes: sizes.map(({ size, ratio, verdict, leftEarly }) => ({
      size,
      ratio: ratio.mean,
      verdict,
      leftEarly,
    })),
  };
}

function trafficOf(program: Program): string[] {
  if (program.kind === 'command') return [];
  const { connections, method, paths, headers = {}, body, rate } = program.requests;
  return [
    ...paths.flatMap((path) => ['--url', path]),
    ...(rate === undefined ? ['-c', String(connections)] : ['--rate', String(rate)]),
    ...(method === undefined ? [] : ['-m', method]),
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
    ...(body === undefined ? [] : ['-b', body]),
  ];
}
