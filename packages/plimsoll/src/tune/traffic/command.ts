import { PlimsollError } from '../../errors.js';
import { startCommand } from '../../lab/command.js';
import type { Endpoint } from '../endpoint.js';
import type { Traffic, TrafficContext } from './traffic.js';
import { withPort } from './words.js';

/** A command that ends sooner sends for too short a time, if it does so several times in a row. */
const BRIEF_MS = 1_000;
const MOST_BRIEF = 3;

/** When it ends with 0 it is started anew, as autocannon ends after ten seconds unless told otherwise. */
export async function sendByCommand(
  words: readonly [string, ...string[]],
  { port }: Endpoint,
  { guardian, onPause }: TrafficContext,
): Promise<Traffic> {
  const command = words.map((word) => withPort(word, port));
  const quoted = JSON.stringify(command.join(' '));
  // Whatever of it leaves its group is found by this name in its environment.
  const mark = guardian.temporaryDirectory();
  const variables = { PORT: String(port), PLIMSOLL_TRAFFIC: mark };
  const start = () =>
    startCommand(command, variables, 'last-words', guardian).catch((cause: Error) => {
      throw failure(cause.message, { cause });
    });
  let running = await start();
  let isClosed = false;

  const keepSending = async (): Promise<void> => {
    for (let brief = 0; ; ) {
      const startedMs = performance.now();
      const end = await running.ended;
      await running.close();
      if (isClosed) return;
      if (end.code !== 0) throw failure(`${quoted} failed (${end.text})`);
      brief = end.atMs - startedMs < BRIEF_MS ? brief + 1 : 0;
      if (brief === MOST_BRIEF)
        throw failure(
          `${quoted} ended within ${BRIEF_MS / 1000} s, ${MOST_BRIEF} times in a row; it must send requests for longer, as autocannon -d 60 does`,
        );
      onPause();
      running = await start();
      if (isClosed) await running.stop('SIGTERM', [mark]);
    }
  };

  const over = keepSending();
  const failed = over.then(
    () => new Promise<never>(() => {}),
    (error: PlimsollError) => error,
  );
  return {
    failed,
    trouble: () => null,
    async close() {
      isClosed = true;
      await running.stop('SIGTERM', [mark]);
      await over.catch(() => {});
      guardian.remove(mark);
    },
  };
}

const failure = (what: string, options?: ErrorOptions): PlimsollError =>
  new PlimsollError('PLIMSOLL_TRAFFIC_FAILED', `--on-port: ${what}`, options);
