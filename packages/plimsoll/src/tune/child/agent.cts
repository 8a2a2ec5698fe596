// A thread of the measured process: its event loop is its own, so it answers while the app's is blocked.
import fs = require('node:fs');
import net = require('node:net');
import worker = require('node:worker_threads');
import monitors = require('@plimsoll/monitor');
import now = require('../../target/child/clock.cjs');
import rings = require('./ring.cjs');
import wire = require('./wire.cjs');

import type { AgentData, FromMain, News, Order } from './messages.cjs';

const READ_MS = 25;
/** Mean times between canaries: few, since each is a job of the pool. */
const FAST_MS = 20;
const SLOW_MS = 100;
/** Plimsoll that says nothing for so long is stopped or gone. */
const ALONE_MS = 10_000;
/** A switch waits for jobs that run; one that takes longer waits for a pool that hangs. */
const RESIZE_MS = 30_000;
/** More is not kept for a plimsoll that does not read. */
const MOST_BYTES = 8_000_000;

const { monitorThreadPool, threadPool } = monitors;
const { socket: address, memory } = worker.workerData as AgentData;

class Agent {
  readonly #socket = net.connect(address);
  readonly #reader = new rings.RingReader(memory);
  readonly #monitor = monitorThreadPool({ resolution: FAST_MS, slowResolution: SLOW_MS });
  #heardAt = now();
  #lost = 0;
  #hasServed = false;
  #sizeBefore: number | null = null;
  #wanted = 0;
  /** A size was ordered before the process used its pool. */
  #isLeftAlone = false;
  #isOver = false;

  start(): void {
    const socket = this.#socket;
    socket.on('connect', () => {
      this.#monitor.enable();
      this.#tell({ type: 'hello', pid: process.pid });
      worker.parentPort?.on('message', (message: FromMain) => this.#tell({ type: 'route', ...message }));
      setInterval(() => this.#look(), READ_MS);
    });
    let text = '';
    socket.setEncoding('utf8').on('data', (piece: string) => {
      const lines = (text + piece).split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) void this.#obey(JSON.parse(line) as Order);
    });
    socket.on('error', () => {});
    // Plimsoll is gone, or has never been there.
    socket.on('close', async () => {
      await this.#restore();
      process.exit();
    });
  }

  #tell(news: News): void {
    this.#socket.write(wire.frameOfNews(news));
  }

  #look(): void {
    const { open, records, lost, turn } = this.#reader.read();
    this.#hasServed ||= open.length > 0 || rings.requestsIn(records) > 0;
    if (now() - this.#heardAt > ALONE_MS) this.#socket.destroy();
    if (this.#isLeftAlone && this.#usesPool()) void this.#join();
    if (this.#socket.writableLength > MOST_BYTES) {
      this.#lost++;
      return;
    }
    const { user, system } = process.cpuUsage();
    const busy = this.#monitor.threadPool.busy ?? Number.NaN;
    const sample = { at: now(), cpuMs: (user + system) / 1000, busy, lost: lost + this.#lost };
    this.#socket.write(wire.frameOfSample({ ...sample, turn, open, records }));
  }

  #usesPool(): boolean {
    return this.#hasServed || this.#monitor.threadPool.size !== undefined;
  }

  async #obey(order: Order): Promise<void> {
    this.#heardAt = now();
    switch (order.do) {
      case 'stay':
        return;
      case 'resize':
        return this.#resize(order.id, order.size);
      case 'state': {
        const { size = null, limit, resizing } = threadPool;
        return this.#tell({ type: 'state', id: order.id, size, limit, resizing });
      }
      case 'begin':
        return this.#monitor.reset();
      case 'end': {
        const [fast, slow] = [milliseconds(this.#monitor.mean), milliseconds(this.#monitor.slow.mean)];
        return this.#tell({ type: 'waits', id: order.id, fast, slow });
      }
      case 'stop':
        await this.#restore();
        this.#socket.end(wire.frameOfNews({ type: 'stopped', id: order.id }));
    }
  }

  async #resize(id: number, size: number): Promise<void> {
    this.#wanted = size;
    try {
      this.#isLeftAlone = !this.#usesPool();
      const proved = this.#isLeftAlone ? null : await this.#switch(size);
      this.#tell({ type: 'resized', id, size: proved, limit: threadPool.limit });
    } catch (error) {
      const { code = 'UNKNOWN', message } = error as NodeJS.ErrnoException;
      this.#tell({ type: 'refused', id, code, message });
    }
  }

  async #join(): Promise<void> {
    this.#isLeftAlone = false;
    try {
      await this.#switch(this.#wanted);
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
  async #restore(): Promise<void> {
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

/** The pool starts with its first job, at the size that the app's environment has then. */
async function sizeNow(): Promise<number | null> {
  if (threadPool.size === undefined) await new Promise((resolve) => fs.access('/', resolve));
  return threadPool.size ?? null;
}

const milliseconds = (nanoseconds: number): number | null =>
  Number.isNaN(nanoseconds) ? null : nanoseconds / 1e6;

new Agent().start();
