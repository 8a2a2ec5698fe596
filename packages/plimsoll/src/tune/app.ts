import { setTimeout as sleep } from 'node:timers/promises';
import { PlimsollError } from '../errors.js';
import { groupMembers, hasEnded, processesWithEnvironment } from '../host/processes.js';
import { type CommandEnd, type RunningCommand, startCommand } from '../lab/command.js';
import type { Guardian } from '../lab/guardian.js';
import { type Endpoint, endpointOf } from './endpoint.js';
import { LiveTarget } from './live/target.js';
import type { TuneContext, TuneRequest } from './request.js';

/** Looking at all processes costs CPU that the command wants: less often, the longer it takes. */
const LEAST_LOOK_MS = 25;
const MOST_LOOK_MS = 250;
const LOOK_SHARE = 0.05;
const END_LOOK_MS = 200;
/** An agent is there before the first line of the app; one that takes longer will not come. */
const ARRIVAL_MS = 10_000;
/** An app that opens a port is given so long to open the one that the variable PORT names. */
const PORT_MS = 3_000;

export type Nature =
  | { readonly is: 'serving'; readonly endpoint: Endpoint | null }
  | { readonly is: 'ended' | 'unknown' };

/** Not the port that the variable PORT names: one for metrics, say. */
const isSidePort = ({ port }: Endpoint): boolean =>
  Number(process.env.PORT) > 0 && String(port) !== process.env.PORT;

/** A command that runs with an agent in each of its Node processes, and as many threads as the largest size. */
export class App {
  readonly live: LiveTarget;
  /** Resolves when nothing of it runs any more, without anybody having stopped it. */
  readonly ended: Promise<CommandEnd>;
  readonly #running: RunningCommand;
  readonly #directory: string;
  readonly #guardian: Guardian;
  readonly #startMs: number;
  #end: CommandEnd | null = null;
  #isStopping = false;

  private constructor(
    live: LiveTarget,
    running: RunningCommand,
    directory: string,
    guardian: Guardian,
    startMs: number,
  ) {
    this.live = live;
    this.#running = running;
    this.#directory = directory;
    this.#guardian = guardian;
    this.#startMs = startMs;
    this.ended = this.#untilEnded();
  }

  static async start({ command, sizes, stdout }: TuneRequest, { guardian }: TuneContext): Promise<App> {
    const directory = guardian.temporaryDirectory();
    const live = await LiveTarget.listen(directory);
    try {
      const startMs = performance.now();
      const running = await startCommand(command, live.variables(Math.max(...sizes)), stdout, guardian);
      return new App(live, running, directory, guardian, startMs);
    } catch (error) {
      await live.close();
      guardian.remove(directory);
      throw error;
    }
  }

  /**
   * Wait until it listens, has ended well, or the time is over. What counts requests without listening (marks of a worker, a
   * UNIX socket) serves, too, if it goes on for longer than `patienceMs`: it may be a script that ends soon.
   */
  async nature(mostMs: number, patienceMs: number, signal: AbortSignal): Promise<Nature> {
    let listensSinceMs: number | null = null;
    for (;;) {
      signal.throwIfAborted();
      const nowMs = performance.now();
      const spentMs = nowMs - this.#startMs;
      if (this.#end !== null) {
        if (this.#end.code === 0) return { is: 'ended' };
        throw new PlimsollError('PLIMSOLL_TARGET_FAILED', `the command failed (${this.#end.text})`);
      }
      const endpoint = endpointOf(this.#pids());
      if (endpoint !== null) {
        listensSinceMs ??= nowMs;
        if (!isSidePort(endpoint) || nowMs - listensSinceMs > PORT_MS) {
          await this.live.arrived(ARRIVAL_MS, signal);
          return { is: 'serving', endpoint };
        }
      }
      if (this.live.requests > 0 && spentMs > patienceMs) return { is: 'serving', endpoint: null };
      if (spentMs > mostMs) return { is: 'unknown' };
      await sleep(Math.min(MOST_LOOK_MS, Math.max(LEAST_LOOK_MS, LOOK_SHARE * spentMs)));
    }
  }

  get wallMs(): number {
    return (this.#end?.atMs ?? performance.now()) - this.#startMs;
  }

  async stop(signal: AbortSignal): Promise<void> {
    this.#isStopping = true;
    await this.live.close();
    await this.#running.stop(signal.aborted ? 'SIGINT' : 'SIGTERM', [this.#directory]);
    this.#guardian.remove(this.#directory);
  }

  /** A command may leave processes behind that go on, as `pm2 start` does. */
  async #untilEnded(): Promise<CommandEnd> {
    const end = await this.#running.ended;
    while (end.code === 0 && !this.#isStopping && this.#left().length > 0) await sleep(END_LOOK_MS);
    this.#end = end;
    return end;
  }

  #left(): number[] {
    return processesWithEnvironment([this.#directory]).filter((pid) => !hasEnded(pid));
  }

  #pids(): number[] {
    return [...new Set([...groupMembers(this.#running.pid), ...this.#left()])];
  }
}
