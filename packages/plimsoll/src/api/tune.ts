import { randomInt } from 'node:crypto';
import { usage } from '../errors.js';
import { DEFAULT_POOL_SIZE } from '../libuv/pool-size.js';
import { tuneResultOf } from '../report/findings/tune.js';
import type { TuneResult } from '../results/tune.js';
import type { MeasuredTune } from '../tune/answer.js';
import type { TuneContext, TuneProgress } from '../tune/request.js';
import { trafficSource } from '../tune/traffic/source.js';
import { tuneCommand, tuneProcess } from '../tune/tune.js';
import type { OptionsOf } from './options.js';
import { type RunOptions, supervised } from './run-options.js';
import { ascending, checkOptions, usualSizes } from './values.js';

export type TuneOptions = OptionsOf<'tune'>;

/** An app that is built when it starts needs long. */
const READY_MS = 60_000;

/**
 * Find out by measuring which pool size suits an app. A server is started once, and the size of its pool changes while it works,
 * in short windows in random order; a program that ends runs in fresh processes of every size.
 *
 * When `signal` aborts, the result holds what was measured until then (`method.stop`).
 *
 * @throws {PlimsollError} when an option is out of range, the command does not come up, opens no port, or ends, there are no
 * requests to compare, or the app can be neither measured nor resized.
 * @throws the reason of `signal`, when it aborts before anything was measured.
 * @example
 * const { recommended, headline } = await tune({ command: ['node', 'server.js'], urls: ['/login'], timeMs: 30_000 });
 */
export async function tune(
  options: TuneOptions,
  { signal, onProgress = () => {} }: RunOptions<TuneProgress> = {},
): Promise<TuneResult> {
  const work = workOf(options);
  return tuneResultOf(await supervised(signal, (supervision) => work({ ...supervision, onProgress })));
}

function workOf(options: TuneOptions): (context: TuneContext) => Promise<MeasuredTune> {
  const checked = checkOptions('tune', options);
  const { command = [], pid, stdout = 'nowhere', sizes, baseline, objective, timeMs, ...rest } = checked;
  const common = { objective, timeMs, seed: rest.seed ?? randomInt(2 ** 31) };
  if (pid !== undefined) {
    const request = { ...common, pid, sizes: sizes ?? null, baseline: baseline ?? null };
    return (context) => tuneProcess(request, context);
  }
  if (command.length === 0)
    throw usage('command: must name a program to run (plimsoll tune -- node server.js), or give a PID');
  const base = baseline ?? DEFAULT_POOL_SIZE;
  const request = {
    ...{ ...common, command, traffic: trafficSource(rest), readyMs: READY_MS },
    ...{ baseline: base, sizes: ascending([...(sizes ?? usualSizes()), base]) },
    stdout: stdout === 'nowhere' ? ('last-words' as const) : stdout,
  };
  return (context) => tuneCommand(request, context);
}
