import { parseArgs } from 'node:util';
import { messageOf } from '@plimsoll/pool/internal';
import type { FleetWorkerOptions } from '../shared/options.js';
import { FleetWorker } from './fleet-worker.js';

const HELP = `Usage: plimsoll-worker --queue NAME --filename FILE [options]

Runs the tasks of a queue on threads of this process, until SIGTERM or Ctrl-C. A second signal returns its jobs to the
queue at once.

  --queue NAME            the queue in Redis
  --filename FILE         the task module, whose exported functions tasks call
  --threads N             worker threads, and thus concurrent tasks (default: the CPUs)
  --connection URL        Redis or Valkey (default: $REDIS_URL, else redis://127.0.0.1:6379)
  --prefix TEXT           begins all keys in Redis (default: bull)
  --version-label TEXT    version of the task module, for errors and statistics
  --health PORT           serve /health and /metrics on this port; 0: a free port
  --health-host ADDRESS   address of that port (default: 127.0.0.1)
  --close-timeout MS      how long tasks may continue after SIGTERM (default: 30000)
  --lock-duration MS      time after which the job of a dead process runs elsewhere (default: 30000)
  --stalled-interval MS   time between two looks for such jobs (default: 30000)
  --max-stalled-count N   how often a job may lose its process (default: 1)
  --max-payload BYTES     bytes of a task or a result, at most (default: 1048576)
  --offline-timeout MS    how long to wait for Redis at the start (default: 10000)
  --help

Every user of the machine can see a password in --connection: use REDIS_URL.
Exit codes: 0 ended by a signal, its jobs done or back in the queue; 2 wrong arguments; 4 cannot start.
`;

const NUMBERS = ['N', 'MS', 'PORT', 'BYTES'];
/** As the help has them, with the option of a worker that each is. */
const OPTIONS = [...HELP.matchAll(/^ {2}--([a-z-]+) ([A-Z]+)/gm)].map(([, name = '', kind = '']) => ({
  name,
  option: name === 'version-label' ? 'version' : name.replace(/-./g, (pair) => pair.charAt(1).toUpperCase()),
  isNumber: NUMBERS.includes(kind),
}));

class UsageError extends Error {}

/** @throws UsageError */
function optionsOf(args: readonly string[], env: NodeJS.ProcessEnv): FleetWorkerOptions | 'help' {
  const options = Object.fromEntries(OPTIONS.map(({ name }) => [name, { type: 'string' as const }]));
  let values: Record<string, unknown>;
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: { ...options, help: { type: 'boolean', short: 'h' } },
    }));
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
  if (values.help === true) return 'help';
  for (const name of ['queue', 'filename'])
    if (values[name] === undefined) throw new UsageError(`--${name} is missing`);
  const given: Record<string, unknown> = { connection: env.REDIS_URL || undefined };
  for (const { name, option, isNumber } of OPTIONS) {
    const text = values[name] as string | undefined;
    if (text === undefined) continue;
    if (isNumber && !/^\d+$/.test(text))
      throw new UsageError(`--${name} must be a whole number, not '${text}'`);
    given[option] = isNumber ? Number(text) : text;
  }
  return given as unknown as FleetWorkerOptions;
}

/**
 * The command `plimsoll-worker`. Ends the process when the worker cannot start, or has closed after a signal.
 *
 * @param args after the name of the command
 * @example
 * await workerCommand(process.argv.slice(2));
 */
export async function workerCommand(
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  try {
    const options = optionsOf(args, env);
    if (options === 'help') process.stdout.write(HELP);
    else await serve(options);
  } catch (error) {
    const isUsage =
      error instanceof UsageError || (error as { code?: unknown }).code === 'PLIMSOLL_POOL_BAD_OPTION';
    say(messageOf(error));
    if (isUsage) say('plimsoll-worker --help lists the options');
    process.exitCode = isUsage ? 2 : 4;
  }
}

/** Names and messages are data of others, and shall not steer a terminal. */
const printable = (text: string): string =>
  text.replaceAll(/\p{Cc}/gu, (character) => (character === '\n' ? ' ' : '\ufffd'));

const say = (text: string): void => void process.stderr.write(`plimsoll-worker: ${printable(text)}\n`);

async function serve(options: FleetWorkerOptions): Promise<void> {
  const worker = new FleetWorker(options);
  worker.on('offline', (reason) => say(`Redis is gone: ${messageOf(reason)}`));
  worker.on('online', () => worker.isStarted && say('Redis is back'));
  worker.on('stalled', (id: string) => say(`job ${id} lost its worker and runs again`));
  worker.on('failed', (id: string, error: Error) => say(`job ${id} failed: ${messageOf(error)}`));
  worker.on('error', (error: Error) => say(messageOf(error)));
  const signalled = new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        const { running, status } = worker.health;
        const isAgain = status === 'closing';
        say(`${signal}: ${isAgain ? 'giving back' : 'ending'} ${running} tasks`);
        resolve();
        void worker.close({ force: isAgain });
      });
    }
  });
  await Promise.race([worker.ready(), signalled]);
  if (!worker.isStarted) return worker.close();
  const { queue, threads } = worker.health;
  const health = worker.healthPort === undefined ? '' : `, health at ${worker.healthPort}`;
  say(
    `queue '${queue}', ${threads} threads, tasks ${worker.names.map((name) => `'${name}'`).join(', ')}${health}`,
  );
  await signalled;
  await worker.close();
}
