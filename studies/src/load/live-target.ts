import {
  type Contestant,
  disturbancesOf,
  type MachineNoise,
  machineNoise,
  PlimsollError,
  readMachine,
} from '@plimsoll/lab';
import { type Clients, clientsOf, type LoadMeasurement, loadSlice, type SlicePlan } from './slice.js';
import type { Target } from './target/target.js';
import { within } from './target/wait.js';

const WARM_UP_MS = 10_000;

/** A server that has warmed up and waits for its next slice of traffic. */
export class LiveTarget implements Contestant<LoadMeasurement> {
  #slices: number;
  /** That of its last slice, which what happens at its end is added to. */
  #latest: LoadMeasurement | null = null;
  #closed: Promise<string | null> | null = null;

  private constructor(
    readonly plan: SlicePlan,
    readonly target: Target,
    readonly clients: Clients,
    readonly machine: Machine,
    readonly signal: AbortSignal,
    firstSlice: number,
  ) {
    this.#slices = firstSlice;
  }

  /**
   * @param firstSlice how many slices servers of its size had before.
   * @throws {PlimsollError} when it does not start or warm up; nothing of it is left then.
   */
  static async open(
    plan: SlicePlan,
    start: () => Promise<Target>,
    machine: Machine,
    signal: AbortSignal,
    firstSlice: number,
  ): Promise<LiveTarget> {
    const target = await start();
    try {
      const live = new LiveTarget(plan, target, await clientsOf(target), machine, signal, firstSlice);
      await live.#warmUp();
      return live;
    } catch (error) {
      await target.close();
      throw error;
    }
  }

  /** One request of each kind for every process of it, which take turns; whether they are answered the slices will show. */
  async #warmUp(): Promise<void> {
    const { ask, askBystander } = this.clients;
    const forEach = async (request: Clients['ask']): Promise<void> => {
      for (let process = 0; process < this.plan.instances; process++)
        await within(WARM_UP_MS, this.signal, request(this.signal));
    };
    await forEach(askBystander ?? ask);
    this.target.begin();
    await forEach(ask);
    await this.#inTime(this.target.finish(), 'warm');
  }

  async round(): Promise<LoadMeasurement> {
    const { plan, target, clients, machine, signal } = this;
    const over = new AbortController();
    const watch = machine.watch();
    try {
      const aborted = AbortSignal.any([signal, over.signal]);
      const measurement = await this.#inTime(
        loadSlice(plan, this.#slices++, target, clients, aborted),
        'done',
      );
      this.#latest = { ...measurement, disturbances: watch(plan.what, measurement.cpuSeconds) };
      return this.#latest;
    } finally {
      over.abort();
    }
  }

  async #inTime<Value>(work: Promise<Value>, what: string): Promise<Value> {
    const { plan, signal } = this;
    const first = await within(plan.deadlineMs, signal, work);
    if (first !== 'timeout') return first;
    throw new PlimsollError(
      'PLIMSOLL_TARGET_HUNG',
      `${plan.what} was not ${what} within ${plan.deadlineMs / 1000} s; give it less to do or more time (--deadline)`,
    );
  }

  async close(): Promise<void> {
    this.#closed ??= this.target.close();
    const forced = await this.#closed;
    if (forced !== null) this.#latest?.problems.push(forced);
  }

  end(): Promise<void> {
    return this.close();
  }
}

/** Tells what the machine did to each slice, by what it did to earlier ones of the same size. */
export class Machine {
  readonly #earlier = new Map<string, MachineNoise[]>();

  /** @returns what happened from now on; `cpuSeconds` are those of the server, `null` when they are not known. */
  watch(): (what: string, cpuSeconds: number | null) => string[] {
    const before = readMachine();
    return (what, cpuSeconds) => {
      const after = readMachine();
      const own = after.cpuSeconds - before.cpuSeconds;
      const used = cpuSeconds === null ? null : cpuSeconds + own;
      const noise = machineNoise(before.counters, after.counters, used);
      const earlier = this.#earlier.get(what) ?? [];
      this.#earlier.set(what, [...earlier, noise]);
      return disturbancesOf(noise, earlier);
    };
  }
}
