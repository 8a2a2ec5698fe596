import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { BINS } from './copy.js';

export interface Ended {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
  /** Processes that the command has left behind; none where there is no /proc. */
  readonly left: readonly string[];
}

/** Of a busy machine; what an example measures takes up to a minute. */
const LIMIT_MS = 240_000;

/**
 * Runs a command line of a README in a folder. It has no quotes and no variables.
 *
 * @param signal sent to the process when it has printed something
 */
export async function run(
  command: string,
  cwd: string,
  env: NodeJS.ProcessEnv = {},
  signal?: NodeJS.Signals,
): Promise<Ended> {
  const mark = randomUUID();
  const [file = '', ...args] = command.split(' ');
  const ended = await new Promise<Omit<Ended, 'left'>>((resolve) => {
    const child = execFile(
      process.execPath,
      nodeArguments(file, args),
      {
        cwd,
        timeout: LIMIT_MS,
        killSignal: 'SIGKILL',
        // React takes three times as long in development.
        env: { ...process.env, NODE_ENV: 'production', NO_COLOR: '1', ...env, EXAMPLE_MARK: mark },
      },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : (error.code ?? error.signal ?? 'killed'), stdout, stderr }),
    );
    if (signal !== undefined) child.stdout?.once('data', () => child.kill(signal));
  });
  return { ...ended, left: await leftBehind(mark) };
}

function nodeArguments(file: string, [first = '', ...rest]: readonly string[]): string[] {
  if (file === 'node') return [first, ...rest];
  const bin = file === 'npx' ? BINS[first] : undefined;
  if (bin === undefined) throw new Error(`neither node nor a known npx command: ${file} ${first}`);
  return [bin, ...rest];
}

/** A process that ends by itself may need a moment more than the one that started it. */
async function leftBehind(mark: string): Promise<string[]> {
  for (const end = performance.now() + 30_000; ; ) {
    const left = processesWith(mark);
    if (left.length === 0 || performance.now() > end) return left;
    await sleep(100);
  }
}

const processesWith = (mark: string): string[] =>
  existsSync('/proc/self/environ')
    ? readdirSync('/proc').filter((name) => /^\d+$/.test(name) && environmentOf(name).includes(mark))
    : [];

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return ''; // It has ended, or is not ours.
  }
}
