// The recorder: a Worker inside each Node process of the command. It is unref'd, so that it keeps nobody alive.
import fs = require('node:fs');
import worker = require('node:worker_threads');
import type EventSource = require('./events.cjs');

import type { RecordedLine, RecorderData } from './lines.cjs';

import calls = require('./calls.cjs');
import log = require('./log.cjs');
import threads = require('./threads.cjs');

const { FLAG, append, now } = log;

const data = worker.workerData as RecorderData;

/** Between two samples of the threads. */
const TICK_MS = 50;
/** Lines are written when so many ticks have gone by. */
const TICKS_PER_WRITE = 5;

const sampler = new threads.ThreadSampler();
let eventSource: EventSource | null = null;
let lines: RecordedLine[] = [];
let events = 0;
let ticks = 0;
/** Calls of the app that were fetched. */
let fetched = 0;
let hasEnded = false;

const raise = (flag: number): void => {
  Atomics.store(data.flags, flag, 1);
  Atomics.notify(data.flags, flag);
};

function write(): void {
  append(data.file, lines);
  lines = [];
}

function fetchCalls(): void {
  if (data.calls === undefined) return;
  const found = calls.fetch(data.calls, fetched);
  if (found === null) return;
  lines.push({ type: 'calls', calls: found.text });
  fetched = found.to;
}

function emit(line: RecordedLine): void {
  if (line.type !== 'events') {
    lines.push(line);
    return;
  }
  const room = data.maxEvents - events;
  events += line.events.length;
  lines.push(line.events.length > room ? { ...line, events: line.events.slice(0, Math.max(0, room)) } : line);
  // Large, and lost with the process: on to the disk.
  write();
  // More has come than may be recorded: that is said once.
  if (room < 0 || events <= data.maxEvents) return;
  lines.push({ type: 'problem', id: 'bound', count: data.maxEvents });
  void end();
}

async function begin(): Promise<void> {
  const tid = threads.self();
  if (tid !== null) emit({ type: 'worker', tid, isRecorder: true });
  try {
    if (!data.mayInspect) throw new Error('--permission allows no inspector');
    // Throws in a Node that was built without an inspector.
    const Source = require('./events.cjs') as typeof EventSource;
    const source = new Source(emit);
    await source.start();
    eventSource = source;
  } catch (error) {
    emit({ type: 'problem', id: 'inspector', detail: String((error as Error)?.message ?? error) });
  }
  // After the other, whose threads are then known not to be the pool's.
  emit(sampler.sample());
  write();
  raise(FLAG.ready);
  setInterval(tick, TICK_MS);
}

function tick(): void {
  if (hasEnded) return;
  if (fs.existsSync(data.finishFile)) {
    void end();
    return;
  }
  eventSource?.tick();
  fetchCalls();
  if (sampler.isDue()) emit(sampler.sample());
  if (++ticks % TICKS_PER_WRITE === 0) write();
}

async function end(): Promise<void> {
  if (hasEnded) return;
  hasEnded = true;
  const at = now();
  await eventSource?.stop();
  fetchCalls();
  emit(sampler.sample());
  lines.push({ type: 'end', at });
  write();
  raise(FLAG.done);
}

// The app's thread ends: only now does it ask.
worker.parentPort?.on('message', () => void end());
process.on('uncaughtException', (error) => {
  append(data.file, [{ type: 'problem', id: 'worker', detail: error.message }]);
  raise(FLAG.ready);
  raise(FLAG.done);
});
void begin();
