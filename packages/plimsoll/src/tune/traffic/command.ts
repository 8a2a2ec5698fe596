import { PlimsollError } from '../../errors.js';
import { type RunningCommand, startCommand } from '../../lab/command.js';
import type { Endpoint } from '../endpoint.js';
import type { Traffic, TrafficContext } from './traffic.js';
import { withPort } from './words.js';

/** A command that ends sooner sends for too short a time, if it does so several times in a row. */
const BRIEF_MS = 1_000;
const MOST_BRIEF = 3;

/**
 * Let a command send the requests: with `$PORT` in its words replaced, and the port in its variable PORT too. When it ends with 0
 * it is started anew, as autocannon ends after ten seconds unless told otherwise.
 *
 * @throws {PlimsollError} PLIMSOLL_TRAFFIC_FAILED when it cannot be started.
 */
export async function sendByCommand(
  words: readonly [string, ...string[]],
  { port }: Endpoint,
  { guardian, onPause }: TrafficContext,
): Promise<Traffic> {
  const command = words.map((word) => withPort(word, port));
  // Whatever of it leaves its group is found by this name in its environment.
  const mark = guardian.temporaryDirectory();
  let isClosed = false;
  const start = async (): Promise<RunningCommand> => {
    try {
      return await startCommand(
        command,
        { PORT: String(port), PLIMSOLL_TRAFFIC: mark },
        'last-words',
        guardian,
      );
    } catch (error) {
      throw new PlimsollError('PLIMSOLL_TRAFFIC_FAILED', `--on-port: ${(error as Error).message}`, {
        cause: error,
      });
    }
  };
  let running = await start();

  /** @returns null when it was closed. */
  const keepSending = async (): Promise<PlimsollError | null> => {
    for (let brief = 0; ; ) {
      const startedMs = performance.now();
      const end = await running.ended;
      await running.close();
      if (isClosed) return null;
      if (end.code !== 0) return failure(command, `failed (${end.text})`);
      brief = end.atMs - startedMs < BRIEF_MS ? brief + 1 : 0;
      if (brief === MOST_BRIEF)
        return failure(
          command,
          `ended within ${BRIEF_MS / 1000} s, ${MOST_BRIEF} times in a row; it must send requests for longer, as autocannon -d 60 does`,
        );
      onPause();
      try {
        running = await start();
      } catch (error) {
        return error as PlimsollError;
      }
      if (isClosed) await running.stop('SIGTERM', [mark]);
    }
  };

  const over = keepSending();
  return {
    failed: over.then((error) => error ?? new Promise<never>(() => {})),
    trouble: () => null,
    async close() {
      isClosed = true;
      await running.stop('SIGTERM', [mark]);
      await over;
      guardian.remove(mark);
    },
  };
}

const failure = (command: readonly string[], what: string): PlimsollError =>
  new PlimsollError('PLIMSOLL_TRAFFIC_FAILED', `--on-port: ${JSON.stringify(command.join(' '))} ${what}`);
