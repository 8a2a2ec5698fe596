import { setTimeout as sleep } from 'node:timers/promises';
import { PlimsollError } from '../errors.js';
import { groupMembers, hasEnded, processesWithEnvironment } from '../host/processes.js';
import { type CommandEnd, startCommand } from '../lab/command.js';
import { type Endpoint, endpointOf } from './endpoint.js';
import { LiveTarget } from './live/target.js';
import type { TuneContext, TuneRequest } from './request.js';

/** Looking at all processes costs CPU that the command wants: less often, the longer it takes. */
const LEAST_LOOK_MS = 50;
const MOST_LOOK_MS = 250;
const LOOK_SHARE = 0.1;
const END_LOOK_MS = 200;
/** An agent is there before the first line of the app; one that takes longer will not come. */
const ARRIVAL_MS = 10_000;
/** An app that opens a port is given so long to open the one that the variable PORT names. */
const PORT_MS = 3_000;

export type Nature =
  | { readonly is: 'serving'; readonly endpoint: Endpoint | null }
  | { readonly is: 'ended' | 'unknown' };

/** A command that runs with an agent in each of its Node processes, and as many threads as the largest size. */
export interface App {
  readonly live: LiveTarget;
  /** Resolves when nothing of it runs any more, without anybody having stopped it. */
  readonly ended: Promise<CommandEnd>;
  wallMs(): number;
  /**
   * Wait until it listens, has ended well, or the time is over. What counts requests without listening (marks of a worker, a
   * UNIX socket) serves, too, if it goes on for longer than `patienceMs`: it may be a script that ends soon.
   */
  nature(mostMs: number, patienceMs: number, signal: AbortSignal): Promise<Nature>;
  stop(signal: AbortSignal): Promise<void>;
}

/** Not the port that the variable PORT names: one for metrics, say. */
const isSidePort = ({ port }: Endpoint): boolean =>
  Number(process.env.PORT) > 0 && String(port) !== process.env.PORT;

export async function startApp(
  { command, sizes, stdout }: Pick<TuneRequest, 'command' | 'sizes' | 'stdout'>,
  { guardian }: Pick<TuneContext, 'guardian'>,
): Promise<App> {
  const directory = guardian.temporaryDirectory();
  const live = await LiveTarget.listen(directory);
  const startMs = performance.now();
  const start = startCommand(command, live.variables(Math.max(...sizes)), stdout, guardian);
  const running = await start.catch(async (error: unknown) => {
    await live.close();
    throw error;
  });
  let end: CommandEnd | null = null;
  let isStopping = false;
  const left = (): number[] => processesWithEnvironment([directory]).filter((pid) => !hasEnded(pid));
  const untilEnded = async (): Promise<CommandEnd> => {
    const ofCommand = await running.ended;
    // A command may leave processes behind that go on, as `pm2 start` does.
    while (ofCommand.code === 0 && !isStopping && left().length > 0) await sleep(END_LOOK_MS);
    end = ofCommand;
    return end;
  };
  return {
    live,
    ended: untilEnded(),
    wallMs: () => (end?.atMs ?? performance.now()) - startMs,
    async nature(mostMs, patienceMs, signal) {
      let listensAfterMs: number | null = null;
      for (;;) {
        signal.throwIfAborted();
        const spentMs = performance.now() - startMs;
        if (end?.code === 0) return { is: 'ended' };
        if (end !== null)
          throw new PlimsollError('PLIMSOLL_TARGET_FAILED', `the command failed (${end.text})`);
        const endpoint = endpointOf([...new Set([...groupMembers(running.pid), ...left()])]);
        if (endpoint !== null) {
          listensAfterMs ??= spentMs;
          if (!isSidePort(endpoint) || spentMs - listensAfterMs > PORT_MS) {
            const absence: unknown = await live.arrived(ARRIVAL_MS, signal).catch((error: unknown) => error);
            if (absence === undefined) return { is: 'serving', endpoint };
            if (end === null) throw absence;
          }
        }
        if (live.requests > 0 && spentMs > patienceMs) return { is: 'serving', endpoint: null };
        if (spentMs > mostMs) return { is: 'unknown' };
        await sleep(Math.min(MOST_LOOK_MS, Math.max(LEAST_LOOK_MS, LOOK_SHARE * spentMs)));
      }
    },
    async stop(signal) {
      isStopping = true;
      await live.close();
      await running.stop(signal.aborted ? 'SIGINT' : 'SIGTERM', [directory]);
    },
  };
}
