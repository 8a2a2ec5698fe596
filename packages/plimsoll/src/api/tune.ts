import { randomInt } from 'node:crypto';
import { usage } from '../errors.js';
import { cpuCount } from '../host/cpu.js';
import type { Output } from '../lab/command.js';
import { clampPoolSize, DEFAULT_POOL_SIZE } from '../libuv/pool-size.js';
import { tuneResultOf } from '../report/findings/tune.js';
import { type TuneResult, tuneObjectives } from '../results/tune.js';
import type { MeasuredTune } from '../tune/answer.js';
import type { Objective } from '../tune/plan.js';
import type { TuneProgress } from '../tune/progress.js';
import type { TuneContext } from '../tune/request.js';
import type { TrafficSource } from '../tune/traffic/open.js';
import { checkUrls } from '../tune/traffic/urls.js';
import { splitWords } from '../tune/traffic/words.js';
import { tuneCommand, tuneProcess } from '../tune/tune.js';
import { ascending, checkCount, checkPositive, checkSize, checkSizes } from './check.js';
import { type RunOptions, supervised } from './run-options.js';

/** What `tune` measures: a command, or a process that runs already. */
export interface TuneOptions {
  /** The program and its arguments, such as `['node', 'app.js']`: a server, or a program that ends. */
  readonly command?: readonly string[] | undefined;
  /** A Node process that serves requests, in place of a command. */
  readonly pid?: number | undefined;
  /**
   * Pool sizes, 1 to 1024; by default 1, 2, the number of CPUs, 2 and 4 times that, 16 and 64. Of a running process by default from half
   * to four times the size that it has.
   */
  readonly sizes?: readonly number[] | undefined;
  /** The size that the others are compared with; by default 4, and of a running process the size that it has. It is measured twice in every block. */
  readonly baseline?: number | undefined;
  /** What a size is judged by: the `mean` or the `p99` of latencies, or `throughput`; by default `mean`. Of a program that ends always its wall time. */
  readonly objective?: Objective | undefined;
  /** Most time for the measurement, in milliseconds, without that until the first request; by default 60,000. It ends sooner when the answer is known. */
  readonly timeMs?: number | undefined;
  /** Of the order of the windows; by default random. */
  readonly seed?: number | undefined;
  /** A command that sends requests, started when the app listens: `$PORT` in it is replaced. Split into words as by a shell, but no shell is started. */
  readonly onPort?: string | undefined;
  /** Where requests are sent to: URLs, in which `$PORT` is replaced, or paths such as `/login`. By default nowhere: somebody else sends them. */
  readonly urls?: readonly string[] | undefined;
  /** Connections that send requests to `urls`, each one after another; by default 10. */
  readonly connections?: number | undefined;
  /** Of the requests to `urls`; by default GET, and POST with a body. */
  readonly method?: string | undefined;
  /** Headers of the requests to `urls`, such as `authorization: Bearer x`. */
  readonly headers?: readonly string[] | undefined;
  /** Of the requests to `urls`. */
  readonly body?: string | undefined;
  /** Requests a second to `urls`, at random times and whether or not earlier ones were answered; by default as fast as `connections` get answers. */
  readonly rate?: number | undefined;
  /** Where the standard output of a server goes; by default nowhere. */
  readonly stdout?: Output | undefined;
}

export const TUNE_TIME_MS = 55_000;
/** Timers count no further. */
const LONGEST_MS = 2 ** 31 - 1;
/** An app that is built when it starts needs long. */
const READY_MS = 60_000;
const MOST_CONNECTIONS = 10_000;
const MOST_RATE = 100_000;
const LARGEST_PID = 2 ** 22;

/** By default: one thread, those that suit the cores, and those that suit waiting. */
export const tuneSizes = (cores = cpuCount()): number[] =>
  ascending([1, 2, cores, 2 * cores, 4 * cores, 16, 64].map(clampPoolSize));

/**
 * Find out by measuring which pool size suits an app. A server is started once, and the size of its pool changes while it works,
 * in short windows in random order; a program that ends runs in fresh processes of every size.
 *
 * When `signal` aborts, the result holds what was measured until then (`method.stop`). No process and no temporary directory is left.
 *
 * @throws {PlimsollError} PLIMSOLL_USAGE for an option out of range; PLIMSOLL_TARGET_FAILED, PLIMSOLL_TARGET_HUNG,
 * PLIMSOLL_TARGET_DIED when the command does not come up, opens no port, or ends; PLIMSOLL_NO_REQUESTS, PLIMSOLL_ONLY_ERRORS,
 * PLIMSOLL_TRAFFIC_FAILED, PLIMSOLL_UNREACHABLE when there are no requests to compare; PLIMSOLL_NOT_MEASURED, PLIMSOLL_NOT_RESIZED
 * when the app can be neither measured nor resized.
 * @throws the reason of `signal`, when it aborts before anything was measured.
 * @example
 * const { recommended, headline } = await tune({ command: ['node', 'server.js'], urls: ['/login'], timeMs: 30_000 });
 */
export async function tune(
  options: TuneOptions,
  { signal, onProgress }: RunOptions<TuneProgress> = {},
): Promise<TuneResult> {
  const work = workOf(options);
  const measured = await supervised(signal, (supervision) =>
    work({ ...supervision, onProgress: onProgress ?? (() => {}) }),
  );
  return tuneResultOf(measured);
}

function workOf(options: TuneOptions): (context: TuneContext) => Promise<MeasuredTune> {
  const { command, pid, stdout, sizes, baseline } = options;
  const chosen = {
    sizes: sizes === undefined ? null : checkSizes(sizes),
    baseline: baseline === undefined ? null : checkSize(baseline, 'baseline'),
  };
  const common = {
    objective: checkObjective(options.objective ?? 'mean'),
    timeMs: checkPositive(options.timeMs ?? TUNE_TIME_MS, 'timeMs', LONGEST_MS),
    seed: checkCount(options.seed ?? randomInt(2 ** 31), 'seed', 0, 2 ** 31 - 1),
  };
  const traffic = trafficOf(options);
  if (pid !== undefined) {
    if (command !== undefined) throw usage('command and pid: one of them is measured, not both');
    if (traffic !== null)
      throw usage(
        'onPort and urls: are for a command; a process that runs already is measured under its own requests',
      );
    const request = { ...common, ...chosen, pid: checkCount(pid, 'pid', 1, LARGEST_PID) };
    return (context) => tuneProcess(request, context);
  }
  if (command === undefined || command.length === 0) throw usage('command: must name a program to run');
  const base = chosen.baseline ?? DEFAULT_POOL_SIZE;
  const request = {
    ...{ ...common, command, traffic },
    ...{ baseline: base, sizes: ascending([...(chosen.sizes ?? tuneSizes()), base]) },
    readyMs: READY_MS,
    stdout: stdout === undefined || stdout === 'nowhere' ? ('last-words' as const) : stdout,
  };
  return (context) => tuneCommand(request, context);
}

function checkObjective(objective: Objective): Objective {
  if (tuneObjectives.includes(objective)) return objective;
  throw usage(`objective: must be ${tuneObjectives.join(', ')}, not ${JSON.stringify(objective)}`);
}

const FOR_URLS = ['connections', 'method', 'headers', 'body', 'rate'] as const;

function trafficOf(options: TuneOptions): TrafficSource | null {
  const { onPort, urls = [], connections, method, body, rate } = options;
  if (urls.length === 0) {
    const idle = FOR_URLS.find((name) => options[name] !== undefined && options[name].toString() !== '');
    if (idle !== undefined) throw usage(`${idle}: is for the requests to urls, and there is none`);
    return onPort === undefined ? null : { from: 'command', words: splitWords(onPort, 'onPort') };
  }
  if (onPort !== undefined) throw usage('onPort and urls: one of them sends the requests, not both');
  if (rate !== undefined && connections !== undefined)
    throw usage(
      'connections and rate: requests at a rate do not wait for a connection; leave one of them out',
    );
  if (method !== undefined && !/^[a-z-]+$/i.test(method))
    throw usage(`method: must be a method of HTTP such as POST, not ${JSON.stringify(method)}`);
  const requests = {
    urls,
    connections:
      connections === undefined ? undefined : checkCount(connections, 'connections', 1, MOST_CONNECTIONS),
    method: method?.toUpperCase(),
    headers: headersOf(options.headers ?? []),
    body,
    rate: rate === undefined ? undefined : checkPositive(rate, 'rate', MOST_RATE),
  };
  checkUrls(requests);
  return { from: 'urls', ...requests };
}

/** A token of HTTP, a colon, and whatever may be in a value. */
const HEADER = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*$/;

function headersOf(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, name, value] = HEADER.exec(line) ?? [];
    if (name === undefined || value === undefined)
      throw usage(`headers: must be such as "authorization: Bearer x", not ${JSON.stringify(line)}`);
    const key = name.toLowerCase();
    headers[key] = headers[key] === undefined ? value : `${headers[key]}, ${value}`;
  }
  return headers;
}
