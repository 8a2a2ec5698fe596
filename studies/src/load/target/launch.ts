import { type Guardian, killGroup, lastWords, type Random, startGroup } from '@plimsoll/lab';
import { eventually } from './wait.js';

export interface LaunchContext {
  readonly guardian: Guardian;
  readonly random: Random;
  readonly signal: AbortSignal;
}

/** A process group that we started. */
export interface Launched {
  readonly pid: number;
  /** Settles with how it ended, as a clause for a message: `exit code 3; it last wrote: …`. */
  readonly ended: Promise<string>;
  readonly hasEnded: () => boolean;
  /**
   * End it and its group: SIGTERM, then SIGKILL after `graceMs`.
   *
   * @returns whether it had to be killed.
   */
  stop(graceMs: number): Promise<boolean>;
}

const STDERR_KEPT = 8192;
const LAST_WORDS_MS = 200;

/** Start a command in a group of its own, watched by the guardian. @throws whatever stopped it from being started. */
export async function launch(
  command: readonly [string, ...string[]],
  env: Readonly<Record<string, string | undefined>>,
  { guardian, random }: LaunchContext,
): Promise<Launched> {
  const child = await startGroup(command, env, ['ignore', 'ignore', 'pipe'], random);
  guardian.watch(child.pid);
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_KEPT);
  });
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => {
      const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
      const tell = (): void => resolve(`${how}${lastWords(stderr)}`);
      // Its last words may still be in the pipe, which is read after timers; what it left behind may hold the pipe open for ever.
      child.once('close', tell);
      setTimeout(() => setImmediate(tell), LAST_WORDS_MS).unref();
    });
  });
  return {
    pid: child.pid,
    ended,
    hasEnded,
    async stop(graceMs) {
      let forced = false;
      if (graceMs > 0 && !hasEnded()) {
        signalGroup(child.pid, 'SIGTERM');
        forced = !(await eventually(hasEnded, graceMs));
      }
      await killGroup(child);
      guardian.forget(child.pid);
      return forced;
    },
  };
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // All of it had ended.
  }
}
