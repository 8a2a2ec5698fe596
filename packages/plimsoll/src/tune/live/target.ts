import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { meanOfKnown, sum } from '../../collections/sum.js';
import { PlimsollError } from '../../errors.js';
import { machineNoise, readMachineCounters } from '../../host/noise.js';
import { preloading } from '../../lab/command.js';
import { until } from '../../lab/until.js';
import clock from '../../target/child/clock.cjs';
import type { Window } from '../sample.js';
import { Connection, type Event } from './connection.js';
import { figuresOf, firstOpen, type Span } from './figures.js';

export interface WindowPlan extends Pick<Window, 'block' | 'order' | 'arm' | 'size'> {
  /** The span ends once so many requests have ended, but not before its least length; by default 100. */
  readonly requests?: number;
  readonly leastMs?: number;
  readonly mostMs?: number;
  /** How long to wait for requests that a switch found under way, and in the end for those of the span; by default 2,000. */
  readonly drainMs?: number;
  /** The window ends at once when more requests fail, or more are open; by default never. */
  readonly mostFailed?: number;
  readonly mostOpen?: number;
}

export interface LiveWindow extends Window {
  readonly inFlight: number;
  /** It ended early, because more requests failed or piled up than its plan allows. */
  readonly isTrouble: boolean;
}

export const PRELOAD = fileURLToPath(new URL('../child/preload.cjs', import.meta.url));
/** A switch waits for running jobs (30 s in child/agent.cts), and then for the answer. */
const RESIZE_MS = 35_000;
const STOP_MS = 5_000;
/** A process manager may replace a process that died. */
const SUCCESSOR_MS = 2_000;
const SETTLE_MS = 100;
const LONGEST_JITTER_MS = 1_000;
const STAY_MS = 1_000;

/** Node processes with an agent in each, whose pools are resized and whose requests are counted together. */
export class LiveTarget {
  readonly #server: Server;
  readonly socket: string;
  readonly #connections = new Set<Connection>();
  readonly #staying: NodeJS.Timeout;
  #size: number | null = null;
  #disturbances = 0;
  #switchedAt = 0;
  #isClosing = false;
  #hasArrived = false;

  private constructor(server: Server, socket: string) {
    this.#server = server;
    this.socket = socket;
    server.on('connection', (stream) => {
      if (this.#isClosing) return void stream.destroy();
      this.#connections.add(new Connection(stream, (event, connection) => this.#hear(event, connection)));
    });
    this.#staying = setInterval(() => {
      for (const connection of this.#connections) void connection.ask({ do: 'stay' });
    }, STAY_MS);
  }

  static async listen(directory: string): Promise<LiveTarget> {
    const socket = join(directory, 'tune');
    const server = createServer().listen(socket);
    await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
      throw new PlimsollError(
        'PLIMSOLL_NO_DIRECTORY',
        `cannot listen at ${socket} (${error.code}); set TMPDIR to a directory with a short name on a local disk`,
        { cause: error },
      );
    });
    return new LiveTarget(server, socket);
  }

  variables(size: number): Record<string, string> {
    return { PLIMSOLL_TUNE: this.socket, ...preloading(PRELOAD), UV_THREADPOOL_SIZE: String(size) };
  }

  get requests(): number {
    return this.#sum(({ completed }) => completed);
  }

  get open(): number {
    return this.#sum(({ open }) => open);
  }

  get pids(): number[] {
    return this.#processes.flatMap(({ pid }) => pid ?? []);
  }

  /** The most threads that serve a queue, what all pools can have, and the weakest way to resize one (`null`: none). */
  get pool() {
    const pools = this.#processes.flatMap(({ pool }) => pool ?? []);
    const ways = pools.map(({ resizing }) => resizing);
    const weakest = ways.includes('parking') ? ('parking' as const) : ('threads' as const);
    const resizing = ways.includes(false) ? null : weakest;
    const started = pools.filter(({ size }) => size !== null);
    if (started.length === 0) return { size: null, limit: null, resizing };
    const size = Math.max(...started.map((pool) => pool.size as number));
    return { size, limit: Math.min(...started.map(({ limit }) => limit)), resizing };
  }

  /** The first process, or the one that was attached to. */
  async arrived(ms: number, signal?: AbortSignal, pid?: number): Promise<void> {
    const isThere = (): boolean => (pid === undefined ? this.#hasArrived : this.pids.includes(pid));
    if (await until(isThere, ms, signal)) return;
    throw new PlimsollError(
      'PLIMSOLL_NOT_MEASURED',
      pid === undefined
        ? `no Node process of the command could be measured within ${Math.round(ms / 1000)} s: is it a Node program? Does it overwrite NODE_OPTIONS, or run with --permission?`
        : `process ${pid} could not connect to ${this.socket}: does it run with --permission, or in a container?`,
    );
  }

  /** @returns the threads that serve the queue now, proved: the least of all processes, or the size where none uses its pool. */
  async resize(size: number): Promise<number> {
    await this.#present();
    this.#size = size;
    const there = this.#processes.filter(({ pid }) => pid !== null);
    const sizes = (await Promise.all(there.map((connection) => this.#switch(connection, size)))).flat();
    this.#switchedAt = clock();
    await this.#present();
    return Math.min(...(sizes.length === 0 ? [size] : sizes));
  }

  async #switch(connection: Connection, size: number): Promise<number[]> {
    const { pid } = connection;
    const answer = await connection.ask({ do: 'resize', size }, RESIZE_MS);
    if (answer === undefined)
      throw new PlimsollError(
        'PLIMSOLL_TARGET_HUNG',
        `process ${pid} has not answered for ${RESIZE_MS / 1000} s: is it stopped?`,
      );
    const { reply, refusal } = answer ?? {};
    if (refusal !== undefined)
      throw new PlimsollError(
        'PLIMSOLL_NOT_RESIZED',
        `the pool of process ${pid} does not get ${size} ${size === 1 ? 'thread' : 'threads'}: ${refusal.message} (${refusal.code})`,
      );
    if (reply === undefined) return [];
    connection.pool = reply;
    return reply.size === null ? [] : [reply.size];
  }

  async window(plan: WindowPlan, signal?: AbortSignal): Promise<LiveWindow> {
    const { requests = 100, leastMs = 250, mostMs = 2_000, drainMs = 2_000 } = plan;
    const { mostFailed = Number.POSITIVE_INFINITY, mostOpen = Number.POSITIVE_INFINITY } = plan;
    const disturbances = this.#disturbances;
    const switchedBefore = this.#switchedAt;
    const size = await this.resize(plan.size);
    await sleep(SETTLE_MS, undefined, { signal });
    await this.#settle({ start: switchedBefore, end: this.#switchedAt }, drainMs, signal);

    const start = clock();
    const before = readMachineCounters();
    for (const connection of this.#connections) connection.begin(start);
    let isTrouble = false;
    const isOver = (): boolean => {
      const [ended, failed] = [this.#sum(({ ended }) => ended), this.#sum(({ failed }) => failed)];
      isTrouble = failed > mostFailed || this.open > mostOpen;
      const isLong = clock() - start >= leastMs && ended >= requests;
      return isTrouble || isLong || this.#connections.size === 0;
    };
    await until(isOver, Math.max(leastMs, mostMs), signal);
    const span: Span = { start, end: clock() };
    // Nothing is subtracted as ours: all busy cores of the machine.
    const { otherCpuCores: machineBusyCores } = machineNoise(before, readMachineCounters(), 0);
    const waits = await Promise.all(this.#serving.map((connection) => connection.ask({ do: 'end' })));
    const waitOf = (queue: 'fast' | 'slow') =>
      meanOfKnown(waits.map((answer) => answer?.reply?.[queue] ?? null));
    // A pool in trouble gets its old size back first.
    await until(() => this.#hasDrained(span), isTrouble ? 0 : drainMs, signal);
    await this.#present();

    const lost = this.#processes.some(({ samples }) => samples[0]?.lost !== samples.at(-1)?.lost);
    const { block, order, arm } = plan;
    const figures = figuresOf(this.#serving, span);
    // Whoever sends requests has paused.
    const isSilent = figures.completed + figures.unfinished + figures.inFlight === 0;
    return {
      ...{ block, order, arm, size, ...figures, machineBusyCores, isTrouble },
      queueWaitMs: { fast: waitOf('fast'), slow: waitOf('slow') },
      disturbed: this.#disturbances > disturbances || lost || isSilent || !this.#isKnown(span.end),
    };
  }

  disturb(): void {
    this.#disturbances++;
  }

  async close(): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    clearInterval(this.#staying);
    await Promise.all(this.#processes.map((connection) => connection.stop(STOP_MS)));
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #sum(pick: (connection: Connection) => number): number {
    return sum(this.#processes.map(pick));
  }

  get #processes(): Connection[] {
    return [...this.#connections];
  }

  /** Those that are asked for something; all, as long as none is. */
  get #serving(): Connection[] {
    const serving = this.#processes.filter(({ serves }) => serves);
    return serving.length > 0 ? serving : this.#processes;
  }

  #isKnown(time: number): boolean {
    return this.#processes.every(({ pid, samples }) => pid === null || (samples.at(-1)?.at ?? 0) >= time);
  }

  #hasDrained(span: Span): boolean {
    return this.#isKnown(span.end) && firstOpen(this.#processes, span) === null;
  }

  /**
   * Wait until requests that the switch found under way have ended, and then for a random part of what the longest of them took.
   * Clients that wait for their answers begin anew when one ends: a window that always began right then would miss the long ones.
   */
  async #settle(underWay: Span, ms: number, signal: AbortSignal | undefined): Promise<void> {
    let longest = 0;
    const isOver = (): boolean => {
      const first = firstOpen(this.#processes, underWay);
      if (first !== null) longest = clock() - first;
      return this.#hasDrained(underWay);
    };
    await until(isOver, ms, signal);
    await sleep(Math.random() * Math.min(longest, LONGEST_JITTER_MS), undefined, { signal });
  }

  #hear(event: Event, connection: Connection): void {
    if (event === 'hello') {
      this.#hasArrived = true;
      // What it does until it has the size belongs to no window.
      if (this.#size !== null) void connection.ask({ do: 'resize', size: this.#size }, RESIZE_MS);
      return;
    }
    if (event === 'gone') this.#connections.delete(connection);
    if (event === 'joined' || connection.serves) this.disturb();
  }

  async #present(): Promise<void> {
    if (await until(() => this.pids.length > 0, SUCCESSOR_MS)) return;
    throw new PlimsollError(
      'PLIMSOLL_TARGET_DIED',
      `the program ended during the measurement${this.#size === null ? '' : ` with ${this.#size} pool threads`}`,
    );
  }
}
