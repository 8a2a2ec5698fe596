// The recorder: a Worker inside each Node process of the command. It is unref'd, so that it keeps nobody alive.
import fs = require('node:fs');
import worker = require('node:worker_threads');
import append = require('./append.cjs');
import CallsSource = require('./calls/calls-source.cjs');
import constants = require('./constants.cjs');

import type { EndLine, RecordedLine, RecorderData, SignalSource } from './lines.cjs';

import RequestsSource = require('./requests/requests-source.cjs');
import ThreadsSource = require('./threads-source.cjs');
import threads = require('./threads.cjs');

const { FLAG, now } = constants;

const data = worker.workerData as RecorderData;

/** Of a record of calls, in base64: 48 bytes. */
const CHARACTERS = 64;

/** Lines are written when so many ticks have gone by. */
const TICKS_PER_WRITE = 5;

let lines: RecordedLine[] = [];
let events = 0;
let ticks = 0;
let ended = false;
/** More has come than may be recorded; it is said once. */
let isBounded = false;
const sources: SignalSource[] = [];

const raise = (flag: number): void => {
  Atomics.store(data.flags, flag, 1);
  Atomics.notify(data.flags, flag);
};

function write(): void {
  append(data.file, lines);
  lines = [];
}

function emit(line: RecordedLine): void {
  if (line.type !== 'events' && line.type !== 'calls') {
    lines.push(line);
    return;
  }
  const room = Math.max(0, data.maxEvents - events);
  const [count, first] =
    line.type === 'events'
      ? [line.events.length, (): RecordedLine => ({ ...line, events: line.events.slice(0, room) })]
      : [
          line.records.length / CHARACTERS,
          () => ({ ...line, records: line.records.slice(0, room * CHARACTERS) }),
        ];
  events += count;
  lines.push(room < count ? first() : line);
  // Large, and lost with the process: on to the disk.
  write();
  if (isBounded || events <= data.maxEvents) return;
  isBounded = true;
  lines.push({ type: 'problem', id: 'bound', count: data.maxEvents });
  void end('bound');
}

async function begin(): Promise<void> {
  const tid = threads.self();
  if (tid !== null) emit({ type: 'worker', tid, own: true });
  for (const source of openSources()) {
    const problem = await source.start(emit);
    if (problem !== null) emit(problem);
    else sources.push(source);
  }
  write();
  raise(FLAG.ready);
  setInterval(tick, data.sampleMs);
}

function openSources(): SignalSource[] {
  const opened: SignalSource[] = [];
  try {
    if (!data.mayInspect) throw new Error('--permission allows no inspector');
    // Throws in a Node that was built without an inspector.
    const InspectorSource = require('./inspector-source.cjs') as new (
      without: readonly string[],
      calls: SharedArrayBuffer | null,
      countsAll: boolean,
    ) => SignalSource;
    opened.push(new InspectorSource(data.without, data.calls, data.without.includes('f')));
  } catch (error) {
    emit({ type: 'problem', id: 'inspector', detail: (error as Error).message });
  }
  // After the other, whose threads are then known not to be the pool's.
  const calls = data.calls === null ? [] : [new CallsSource(data.calls)];
  return [...opened, new ThreadsSource(), new RequestsSource(data.requests), ...calls];
}

function tick(): void {
  if (ended) return;
  if (fs.existsSync(data.finishFile)) {
    void end('stopped');
    return;
  }
  for (const source of sources) source.tick();
  if (++ticks % TICKS_PER_WRITE === 0) write();
}

async function end(why: EndLine['why']): Promise<void> {
  if (ended) return;
  ended = true;
  const at = now();
  for (const source of sources) await source.stop();
  lines.push({ type: 'end', at, why });
  write();
  raise(FLAG.done);
}

// The app's thread ends: only now does it ask.
worker.parentPort?.on('message', () => void end('exit'));
process.on('uncaughtException', (error) => {
  append(data.file, [{ type: 'problem', id: 'worker', detail: error.message }]);
  raise(FLAG.ready);
  raise(FLAG.done);
});
void begin();
