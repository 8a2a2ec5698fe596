import { createRandom, formatMs, PlimsollError, runCommand, withGuardian } from '@plimsoll/lab';
import type { Command } from 'commander';
import { parseCount, parseSize } from '../../common/values.js';
import type { WorkerMeasurement } from '../server/messages.js';
import { summarise } from '../summary.js';
import { modes, type SampleTarget, startSampleServer } from '../target/sample.js';
import { OPERATION_FLAGS, type OperationFlags, parseMode, readOperationFlags } from './sample-server.js';

interface ServeFlags extends OperationFlags {
  mode: string;
  instances: string;
  size?: string;
  port: string;
}

/** `npm run start:dev`: arguments in, exit code out. */
export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('run the sample server in the foreground, until Ctrl-C')
    .option('--mode <mode>', modes.join(', '), 'node')
    .option('--instances <n>', 'workers of the cluster modes', '2')
    .option('--size <size>', 'pool size (default: UV_THREADPOOL_SIZE, else 4)')
    .option('--port <port>', '0 for a free one', '3000')
    .option('--ops <n>', 'operations that a request starts', OPERATION_FLAGS.ops)
    .option(
      '--operation <name>',
      'pbkdf2, scrypt, gzip, randomBytes, readFile, stat, lookup, sleep:MS, or the path of a module',
      OPERATION_FLAGS.operation,
    )
    .option('--iterations <n>', 'of pbkdf2', OPERATION_FLAGS.iterations)
    .option('--scale <x>', 'multiplies the cost of an operation', OPERATION_FLAGS.scale)
    .addHelpText('after', HELP)
    .exitOverride()
    .action(async (flags: ServeFlags) => {
      process.exitCode = await serve(flags);
    });
}

const HELP = `
GET /test starts a request's operations and answers at once; /test?wait=1 answers when they are done; /ping does nothing.

Exit codes: 0 ended by Ctrl-C, 2 bad input, 4 the server failed or died`;

const LOOK_MS = 250;
const READY_MS = 60_000;

function serve(flags: ServeFlags): Promise<number> {
  const mode = parseMode(flags.mode);
  const instances = parseCount(flags.instances, '--instances', 1, 256);
  const size = parseSize(flags.size ?? process.env.UV_THREADPOOL_SIZE ?? 'default', '--size');
  const port = parseCount(flags.port, '--port', 0, 65_535);
  const operation = readOperationFlags(flags);
  const server = {
    mode,
    instances: mode.endsWith('cluster') ? instances : 1,
    size,
    port,
    ...operation,
    wait: false,
    readyMs: READY_MS,
  };
  return runCommand({}, ({ signal }) =>
    withGuardian(async (guardian) => {
      let target: SampleTarget | null = null;
      try {
        target = await startSampleServer(server, { guardian, random: createRandom(0), signal });
        // First: whoever reads the welcome may send all of its requests before this process goes on.
        target.begin();
        process.stdout.write(welcome(target, mode, size, operation.description));
        await tellBursts(target, signal);
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        await target?.close();
      }
      return 0;
    }),
  );
}

function welcome({ url, workers }: SampleTarget, mode: string, size: number, request: string): string {
  const counted = workers.map(({ pid, observedThreads }) =>
    observedThreads === null
      ? `  process ${pid}: asked for ${size} pool threads, which cannot be counted here`
      : `  process ${pid}: ${observedThreads} pool threads, counted`,
  );
  return [
    `sample server, ${mode}, UV_THREADPOOL_SIZE ${size}`,
    ...counted,
    `  GET ${url.href}         starts ${request}, and answers at once`,
    `  GET ${url.href}?wait=1  answers when they are done`,
    `  GET ${url.origin}/ping         does nothing`,
    'Ctrl-C ends it.',
    '',
  ].join('\n');
}

/** Whenever requests have been worked off, say what their operations took, until the signal aborts. */
async function tellBursts(target: SampleTarget, signal: AbortSignal): Promise<void> {
  const aborted = new Promise<null>((resolve) => {
    if (signal.aborted) resolve(null);
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
  let burst: WorkerMeasurement[] = [];
  while (!signal.aborted) {
    const answers = await Promise.race([target.collect(), aborted]);
    if (answers === null) return;
    if (answers.length === 0)
      throw new PlimsollError('PLIMSOLL_TARGET_DIED', 'every worker of the sample server has died');
    const isQuiet = answers.every(({ requests }) => requests === 0);
    if (!isQuiet) burst.push(...answers);
    else if (burst.length > 0) {
      process.stdout.write(burstLine(burst));
      burst = [];
    }
    await Promise.race([new Promise((resolve) => setTimeout(resolve, LOOK_MS)), aborted]);
  }
}

function burstLine(answers: readonly WorkerMeasurement[]): string {
  const requests = answers.reduce((sum, answer) => sum + answer.requests, 0);
  const failures = answers.reduce((sum, answer) => sum + answer.failures, 0);
  const summary = summarise(answers.flatMap(({ latenciesMs }) => latenciesMs));
  const took =
    summary === null
      ? 'no operation ended well'
      : `${summary.count} operations: min ${formatMs(summary.min)}, max ${formatMs(summary.max)}, average ${formatMs(summary.mean)}`;
  return `${requests} requests, ${took}${failures > 0 ? `, ${failures} failed` : ''}\n`;
}
