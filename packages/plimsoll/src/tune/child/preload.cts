// Loaded by --require into every Node process of a command, or into a running process from outside. The app must not notice
// it: it uses no pool, keeps nothing alive, prints nothing, and what goes wrong is told to plimsoll or goes wrong quietly.
import path = require('node:path');
import worker = require('node:worker_threads');
import now = require('../../target/child/clock.cjs');

import type { AgentData, FromMain } from './messages.cjs';

import RequestMeter = require('./requests.cjs');
import rings = require('./ring.cjs');

const TURNS_PER_SWEEP = 5;

const ACTIVE = Symbol.for('plimsoll.tune');
const globals = globalThis as { [ACTIVE]?: boolean };

/** @returns `busy` when another plimsoll measures this process. */
function start(socket: string): 'started' | 'busy' {
  if (globals[ACTIVE] === true) return 'busy';
  Object.defineProperty(globals, ACTIVE, { value: true, configurable: true });
  const ring = new rings.RingWriter();
  const waiting: FromMain[] = [];
  let tell = (message: FromMain): void => void waiting.push(message);
  const meter = new RequestMeter(ring, (route, name) => tell({ route, name }));
  meter.start();
  let turns = 0;
  let last = now();
  ring.ring.turn[0] = last;
  const timer = setInterval(() => {
    const at = now();
    ring.write(last, at, 0, rings.KIND.turn);
    last = at;
    ring.ring.turn[0] = at;
    if (++turns % TURNS_PER_SWEEP === 0) meter.sweep();
  }, rings.TURN_MS);
  timer.unref();
  const stop = (): void => {
    clearInterval(timer);
    meter.stop();
    Reflect.deleteProperty(globals, ACTIVE);
  };
  try {
    const workerData: AgentData = { socket, memory: ring.ring.memory };
    // No options of the app's: a loader of its own would run in there, and use the pool.
    const agent = new worker.Worker(path.join(__dirname, 'agent.cjs'), {
      workerData,
      name: 'plimsoll',
      env: {},
      execArgv: [],
      stdin: false,
    });
    agent.on('error', () => {});
    agent.on('exit', stop);
    agent.unref();
    tell = (message) => agent.postMessage(message);
    for (const message of waiting) tell(message);
  } catch {
    stop();
  }
  return 'started';
}

const { PLIMSOLL_TUNE } = process.env;
if (PLIMSOLL_TUNE !== undefined && worker.isMainThread) start(PLIMSOLL_TUNE);

export = { start };
