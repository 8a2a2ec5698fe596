import channels = require('node:diagnostics_channel');
import append = require('./append.cjs');
import constants = require('./constants.cjs');

import type { ChannelLine, ProblemLine, RecordedLine, SignalSource } from './lines.cjs';

import threads = require('./threads.cjs');

const { now } = constants;

/** What Node is going to publish; a channel that nobody publishes to costs nothing. */
const KINDS = [
  'crypto',
  'zlib',
  'fs.readfile',
  'fs.writefile',
  'fs.cp',
  'glob',
  'readdir_recursive',
  'histogram.qrde',
  'node_api',
  'node_sqlite3.BackupJob',
];
const PREFIX = 'threadpool.work.';

const KEPT = 256;
const KEPT_US = 250_000;

/**
 * Jobs as Node itself tells them, on diagnostics channels that are in its sources but in no release yet (nodejs/node
 * 06545694: `threadpool.work.TYPE` with `{enqueued, started, ended}` on the axis of performance.now()). Channels belong to a
 * thread, so this source runs in every thread of the app and writes by itself.
 */
class ChannelSource implements SignalSource {
  readonly #lines: ChannelLine[] = [];
  readonly #file: string;
  readonly #loop = threads.self() ?? process.pid;
  #written = now();

  constructor(file: string) {
    this.#file = file;
  }

  async start(_emit?: (line: RecordedLine) => void): Promise<ProblemLine | null> {
    const clock = clockOffset();
    for (const kind of KINDS)
      channels.subscribe(`${PREFIX}${kind}`, (message) => this.#take(kind, message, clock));
    return null;
  }

  tick(): void {}

  async stop(): Promise<void> {
    this.flush();
  }

  flush(): void {
    append(this.#file, this.#lines.splice(0));
    this.#written = now();
  }

  #take(kind: string, message: unknown, clock: number): void {
    const { enqueued, started, ended } = (message ?? {}) as Record<string, unknown>;
    if (typeof enqueued !== 'number') return;
    const micros = (ms: unknown): number | null =>
      typeof ms === 'number' ? Math.round(ms * 1000 + clock) : null;
    this.#lines.push({
      type: 'channel',
      kind,
      loop: this.#loop,
      at: now(),
      enqueued: micros(enqueued) ?? 0,
      started: micros(started),
      ended: micros(ended),
    });
    if (this.#lines.length >= KEPT || now() - this.#written > KEPT_US) this.flush();
  }
}

/** From performance.now() of this thread to the clock of trace events: whatever comes between two readings makes it smaller. */
const clockOffset = (): number =>
  Math.max(...Array.from({ length: 10 }, () => now() - performance.now() * 1000));

export = ChannelSource;
