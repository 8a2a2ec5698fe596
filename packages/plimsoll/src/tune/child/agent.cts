// A thread of the measured process: its event loop is its own, so it answers while the app's is blocked.
import fs = require('node:fs');
import net = require('node:net');
import worker = require('node:worker_threads');
import monitors = require('@plimsoll/monitor');
import now = require('../../target/child/clock.cjs');
import rings = require('./ring.cjs');
import wire = require('./wire.cjs');

import type { AgentData, News, Order, Pool, Replies, Route } from './messages.cjs';

const READ_MS = 25;
/** Mean times between canaries: few, since each is a pool job. */
const FAST_MS = 20;
const SLOW_MS = 100;
/** Plimsoll that says nothing for so long is stopped or gone. */
const ALONE_MS = 10_000;
/** A switch waits for running jobs; one that takes longer waits for a pool that hangs. */
const RESIZE_MS = 30_000;

const { monitorThreadPool, threadPool } = monitors;
const { socket: address, memory } = worker.workerData as AgentData;

class Agent {
  readonly #socket = net.connect(address);
  readonly #ring = new rings.RingReader(memory);
  readonly #monitor = monitorThreadPool({ resolution: FAST_MS, slowResolution: SLOW_MS });
  #heardAt = now();
  #hasServed = false;
  #sizeBefore: number | null = null;
  /** A size that was ordered before the process used its pool. */
  #postponed: number | null = null;
  #isOver = false;

  start(): void {
    const orders = new wire.FrameReader<Order>((order) => void this.#obey(order));
    this.#socket.on('connect', () => {
      this.#monitor.enable();
      this.#tell({ type: 'hello', pid: process.pid, pool: poolNow() });
      worker.parentPort?.on('message', (route: Route) => this.#tell({ type: 'route', ...route }));
      setInterval(() => this.#look(), READ_MS);
    });
    this.#socket.on('data', (piece) => orders.push(piece));
    this.#socket.on('error', () => {});
    // Plimsoll is gone, or has never been there.
    this.#socket.on('close', async () => {
      await this.#restore();
      process.exit();
    });
  }

  #tell(news: News, records?: Float64Array): void {
    this.#socket.write(wire.frame(news, records));
  }

  #look(): void {
    const { open, records, lost, turn } = this.#ring.read();
    this.#hasServed ||= open.length > 0 || rings.requestsIn(records) > 0;
    if (now() - this.#heardAt > ALONE_MS) this.#socket.destroy();
    if (this.#postponed !== null && this.#usesPool()) void this.#join(this.#postponed);
    const { user, system } = process.cpuUsage();
    const busy = this.#monitor.threadPool.busy ?? null;
    const cpuMs = (user + system) / 1000;
    this.#tell({ type: 'sample', at: now(), cpuMs, busy, lost, turn, open }, records);
  }

  #usesPool(): boolean {
    return this.#hasServed || this.#monitor.threadPool.size !== undefined;
  }

  async #obey(order: Order): Promise<void> {
    this.#heardAt = now();
    const { id } = order;
    try {
      this.#tell({ type: 'reply', id, reply: await this.#carryOut(order) });
    } catch (error) {
      const { code = 'UNKNOWN', message } = error as NodeJS.ErrnoException;
      this.#tell({ type: 'reply', id, refusal: { code, message } });
    }
    if (order.do === 'stop') this.#socket.end();
  }

  async #carryOut({ do: what, size }: Order): Promise<Replies[keyof Replies]> {
    switch (what) {
      case 'resize': {
        const wanted = size as number;
        this.#postponed = this.#usesPool() ? null : wanted;
        const proved = this.#postponed === null ? await this.#switch(wanted) : null;
        return { ...poolNow(), size: proved };
      }
      case 'begin':
        return void this.#monitor.reset();
      case 'end':
        return { fast: milliseconds(this.#monitor.mean), slow: milliseconds(this.#monitor.slow.mean) };
      case 'stop':
        return this.#restore();
    }
  }

  async #join(size: number): Promise<void> {
    this.#postponed = null;
    try {
      await this.#switch(size);
      this.#tell({ type: 'joined' });
    } catch {
      // The next switch tells.
    }
  }

  /** @returns the size that is in force: the limit, where that is smaller. */
  async #switch(size: number): Promise<number> {
    this.#sizeBefore ??= await sizeNow();
    try {
      return await threadPool.resize(size, { timeoutMs: RESIZE_MS });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'PLIMSOLL_MONITOR_RESIZE_LIMIT') throw error;
      return threadPool.resize(threadPool.limit, { timeoutMs: RESIZE_MS });
    }
  }

  /** Whatever ends the measurement, the pool is as it was. */
  async #restore(): Promise<undefined> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#monitor.disable();
    try {
      if (this.#sizeBefore !== null) await this.#switch(this.#sizeBefore);
    } catch {
      // Nobody is left to be told.
    }
  }
}

const poolNow = (): Pool => ({
  size: threadPool.size ?? null,
  limit: threadPool.limit,
  resizing: threadPool.resizing,
});

/** The pool starts with its first job, at the size that the app's environment has then. */
async function sizeNow(): Promise<number | null> {
  if (threadPool.size === undefined) await new Promise((resolve) => fs.access('/', resolve));
  return threadPool.size ?? null;
}

const milliseconds = (nanoseconds: number): number | null =>
  Number.isNaN(nanoseconds) ? null : nanoseconds / 1e6;

new Agent().start();
