// A Worker that collects trace events of its process, until it is told to stop.
import worker = require('node:worker_threads');

import type { PoolEvent } from '../../libuv/job.js' with { 'resolution-mode': 'import' };

import TraceSession = require('../../lab/child/trace-session.cjs');

const events: PoolEvent[] = [];
const session = new TraceSession((batch) => {
  for (const event of batch) events.push(event);
});
const tell = (message: unknown): void => worker.parentPort?.postMessage(message);

worker.parentPort?.on('message', () => void session.end().then(() => tell(events)));
session.start().then(
  () => tell('tracing'),
  (error: Error) => tell(error.message),
);
