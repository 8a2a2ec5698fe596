import { performance } from 'node:perf_hooks';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { Pool } from '@plimsoll/pool';
import { DEADLY } from './kinds.mjs';

/** Milliseconds after which a task that is not settled hangs. None takes longer than some tenths of a second. */
const PATIENCE = 60_000;
const MOST_IN_FLIGHT = 400;
const FILE = new URL('./tasks.mjs', import.meta.url);

/** How often each kind of task comes, in parts of the sum. */
const WORK = {
  ...{
    answer: 200,
    answerLater: 60,
    print: 15,
    number: 300,
    text: 60,
    largeText: 4,
    view: 60,
    hugeView: 0.3,
  },
  ...{ otherFile: 15, freshFile: 3, transfer: 20, moved: 20, port: 6, shared: 15, spin: 3 },
};
const MISTAKES = {
  ...{ fail: 20, uncloneableTask: 8, uncloneableResult: 8, unreadableTask: 8, unreadableResult: 8 },
  ...{ deepTask: 3, deepResult: 3, deepThrown: 3, noName: 4, noFile: 4, badPriority: 4 },
};
const ENDS = { abort: 30, abortSoon: 20, abortRunning: 1, timeout: 1 };
const DEATHS = { exit: 1, crash: 1, kill: 1.5 };
/** For some bursts: output that holds up results in the ring, and more than the arena and the rings can hold. */
const STORM = { number: 5, answer: 5, shared: 2, abort: 3, abortSoon: 3, abortRunning: 2, timeout: 1 };
const PRINTS = { print: 5, answerLater: 3, answer: 2, text: 1 };
const HUGE = { hugeView: 3, largeText: 2, view: 1 };

const MOODS = { usual: 94, storm: 2, prints: 4, huge: 0.2 };
const LONGEST_BURST = { usual: 150, storm: 30, prints: 150, huge: 30 };
const ENDINGS = { drain: 4, close: 2, force: 1, destroy: 3 };

function randomOptions(random) {
  const minThreads = random.below(3);
  return {
    minThreads,
    maxThreads: Math.max(1, random.between(minThreads, 3)),
    concurrentTasksPerWorker: random.of([1, 1, 2, 8]),
    idleTimeout: random.of([0, 1, 200]),
    recordTiming: random.chance(0.5),
    ...(random.chance(0.2) && { resourceLimits: { maxOldGenerationSizeMb: 96 } }),
  };
}

/** A pool of random options, at work for a while and then ended in one of several ways. */
export class Site {
  /** From now on tasks may be rejected because of the pool's end. */
  isEnding = false;
  #random;
  #ledger;
  #printed;
  #throttle;
  #options;
  #pool;
  /** Are there tasks that end workers? */
  #isDeadly;
  #hasPriorities;
  #deaths = 0;
  #losses = 0;

  constructor({ random, ledger, printed, throttle, options }) {
    this.#random = random;
    this.#ledger = ledger;
    this.#printed = printed;
    this.#throttle = throttle;
    this.#isDeadly = random.chance(0.5);
    this.#hasPriorities = random.chance(0.3);
    this.#options = { ...randomOptions(random), ...options };
    this.#pool = new Pool({ filename: FILE, name: 'echo', ...this.#options });
    this.#pool.on('error', (error) => this.#hear(error));
  }

  /** A worker has died with a task. */
  lost(error) {
    if (error.code !== 'PLIMSOLL_POOL_START_FAILED') this.#losses++;
    if (!this.#isDeadly) this.#fault(`nothing ends workers here, but one has died: ${error.stack}`);
  }

  /** Of workers that die while they run nothing, and of an end that takes too long. */
  #hear(error) {
    if (!this.#isDeadly || error.code === 'PLIMSOLL_POOL_CLOSE_TIMEOUT')
      this.#fault(`an error event: ${error.stack}`);
  }

  async work(until) {
    while (performance.now() < until && !this.#isHanging) {
      const mood = this.#random.weighted(MOODS);
      const weights = this.#weights(mood);
      for (let left = this.#random.below(LONGEST_BURST[mood]); left > 0; left--) this.#start(weights);
      await this.#breathe();
    }
  }

  #weights(mood) {
    if (mood === 'prints') return PRINTS;
    if (mood === 'huge') return HUGE;
    const canFill = this.#options.resourceLimits !== undefined;
    const deaths = this.#isDeadly ? { ...DEATHS, ...(canFill && { fillHeap: 0.2 }) } : {};
    if (mood === 'storm') return { ...STORM, ...deaths };
    return { ...WORK, ...MISTAKES, ...ENDS, ...deaths, ...(this.#hasPriorities && { priority: 50 }) };
  }

  #start(weights) {
    const kind = this.#random.weighted(weights);
    if (DEADLY.has(kind)) this.#deaths++;
    const bench = { pool: this.#pool, random: this.#random, file: FILE, printed: this.#printed };
    this.#ledger.start(kind, bench, this);
  }

  /** The pool gets time to answer, and now and then more than that; or the host is blocked. */
  async #breathe() {
    const random = this.#random;
    await this.#throttle();
    if (random.chance(0.03)) block(random.between(1, 40));
    if (random.chance(0.03)) await sleep(random.of([1, 30, 120]));
    await this.#settledTo(MOST_IN_FLIGHT);
  }

  async #settledTo(most) {
    while (this.#ledger.inFlight > most && !this.#isHanging) await setImmediate();
  }

  get #isHanging() {
    const { oldest } = this.#ledger;
    return oldest !== undefined && performance.now() - oldest.at > PATIENCE;
  }

  /** Ends the pool, with tasks in flight or without. Then every task must be settled. */
  async end() {
    const ending = this.#random.weighted(ENDINGS);
    if (ending === 'drain') await this.#drain();
    this.isEnding = ending === 'force' || ending === 'destroy';
    if (ending === 'destroy') await this.#pool.destroy();
    else await this.#pool.close({ force: ending === 'force' });
    await this.#settledTo(0);
    this.#checkLosses();
    for (const { kind, number } of this.#ledger.open)
      this.#fault(`task ${number} (${kind}) was never settled: ${ending}`);
  }

  async #drain() {
    await this.#settledTo(0);
    const answer = await this.#pool.run('drained').catch((error) => error);
    if (answer !== 'drained') this.#fault(`a pool that was drained answers ${String(answer)}`);
    if (this.#pool.queueSize !== 0)
      this.#fault(`a pool that was drained has a queue of ${this.#pool.queueSize}`);
  }

  #checkLosses() {
    // With each worker: what it ran, and what was posted to it alone.
    const most = this.#deaths * (2 * this.#options.concurrentTasksPerWorker + 1);
    if (this.#losses > most) this.#fault(`${this.#losses} tasks were lost with ${this.#deaths} workers`);
  }

  #fault(what) {
    this.#ledger.fault(
      `${what}; pool ${JSON.stringify(this.#options)}, ${this.#isDeadly ? 'deadly' : 'peaceful'}`,
    );
  }
}

function block(milliseconds) {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}
