// Loaded by --require into every Node process of a command, or into a running process from outside. The app must not notice
// it: it uses no pool, keeps nothing alive, prints nothing, and what goes wrong goes wrong quietly.
import path = require('node:path');
import worker = require('node:worker_threads');
import now = require('../../target/child/clock.cjs');

import type { AgentData } from './messages.cjs';

import RequestMeter = require('./requests.cjs');
import rings = require('./ring.cjs');

const ACTIVE = Symbol.for('plimsoll.tune');

/** @returns `busy` when another plimsoll measures this process. */
function start(socket: string): 'started' | 'busy' {
  if (Reflect.has(globalThis, ACTIVE)) return 'busy';
  const ring = new rings.RingWriter();
  let agent: worker.Worker;
  try {
    const workerData: AgentData = { socket, memory: ring.ring.memory };
    agent = new worker.Worker(path.join(__dirname, 'agent.cjs'), {
      workerData,
      name: 'plimsoll',
      // No options of the app's: a loader of its own would run in there, and use the pool.
      ...{ env: {}, execArgv: [], stdin: false },
    });
  } catch {
    return 'started';
  }
  Object.defineProperty(globalThis, ACTIVE, { value: true, configurable: true });
  const meter = new RequestMeter(ring, (route, name) => agent.postMessage({ route, name }));
  meter.start();
  let last = now();
  ring.ring.turn[0] = last;
  const timer = setInterval(() => {
    const at = now();
    ring.write(last, at, 0, rings.KIND.turn);
    last = at;
    ring.ring.turn[0] = at;
  }, rings.TURN_MS);
  timer.unref();
  agent.on('error', () => {});
  agent.on('exit', () => {
    clearInterval(timer);
    meter.stop();
    Reflect.deleteProperty(globalThis, ACTIVE);
  });
  agent.unref();
  return 'started';
}

const { PLIMSOLL_TUNE } = process.env;
if (PLIMSOLL_TUNE !== undefined && worker.isMainThread) start(PLIMSOLL_TUNE);

export = { start };
