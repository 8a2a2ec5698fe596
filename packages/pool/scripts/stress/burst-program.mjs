import { MessageChannel } from 'node:worker_threads';
import { move } from '@plimsoll/pool';
import { optionsOf } from './books.mjs';
import { burstFunctions, PARTS } from './burst-functions.mjs';
import { hostFunctions } from './host-functions.mjs';
import { ACTIONS, Program } from './program.mjs';
import { user } from './stores.mjs';

// Random programs whose tasks meet others of their pool: by functions of the host that submit bursts, and by ports.

const BYTES = 20_000;
/** Milliseconds: more than everything that can hold up an answer, one after another. Without threads time passes by leaps. */
const HOST_TIMEOUT = 15_000;
const VIRTUAL_HOST_TIMEOUT = 1e8;
const MORE_ACTIONS = { meet: 8, transfers: 4, pair: 2, proxy: 1, second: 2 };
const CALLING = ['meet', 'second'];
const RARE = ['priority', 'stream', 'map', 'crash', 'badStart', 'kill'];
/** Calls that others may hold up for ever. */
const ENDLESS_CALLS = ['never', 'nests'];

export class BurstProgram extends Program {
  /** Tasks that wait for others of the first pool. */
  waiters = 0;
  mostActions = 8;
  /** The part of tasks that end before their time, or end others. */
  ends = this.random.of([0, 0, 0.02, 0.2]);
  /** Its functions of the host submit to the first one. */
  second;
  #gathered;

  /** Some of all in each program: what has priorities, may be aborted or goes on for ever keeps a pool from much else. */
  #left = new Set(
    Object.entries({ ...ACTIONS, ...PARTS })
      .filter(
        ([name]) =>
          !(name in MORE_ACTIONS) && name !== 'move' && this.random.chance(RARE.includes(name) ? 0.6 : 0.4),
      )
      .map(([name]) => name),
  );
  actions = this.#without({ ...ACTIONS, ...MORE_ACTIONS });
  parts = this.#without(PARTS);

  #without(weights) {
    const isLeft = (name) => this.#left.has(name) || (!this.callsHost && CALLING.includes(name));
    return Object.fromEntries(Object.entries(weights).filter(([name]) => !isLeft(name)));
  }

  async run() {
    if (this.random.chance(0.3)) {
      // While workers start.
      this.#move(this.random.between(1, 8));
      if (this.random.chance(0.5)) this.$resize();
    } else if (this.callsHost && this.random.chance(0.5)) {
      // Before anything else makes workers start.
      this.#meet(1);
      await this.steps(this.isReal ? 50 : 5);
    }
    await super.run();
  }

  get hasStores() {
    return this.options.context !== undefined;
  }

  onlyKeysOf() {
    return false;
  }

  optionsOf(random) {
    const options = optionsOf(random);
    if (random.chance(0.7)) for (const name of ['retry', 'maxTasksPerWorker']) delete options[name];
    if (random.chance(0.7)) options.maxThreads = Math.max(options.maxThreads, 2);
    if (random.chance(0.2)) options.context = { user };
    if (random.chance(0.2)) options.explain = true;
    if (random.chance(0.3)) options.recordTiming = true;
    if (random.chance(0.1)) options.maxQueue = 'auto';
    if (random.chance(0.1)) options.maxValueBytes = random.of([1000, 30_000]);
    if (this.isReal && random.chance(this.callsHost ? 0.1 : 0.02)) options.maxHeapMb = random.of([1, 64]);
    return options;
  }

  hostTimeoutOf() {
    return this.isReal ? HOST_TIMEOUT : VIRTUAL_HOST_TIMEOUT;
  }

  hostFunctions() {
    return { ...hostFunctions(this), ...burstFunctions(this) };
  }

  /** Each with the store that is checked. */
  submit(name, value, options) {
    if (!this.hasStores) return super.submit(name, value, options);
    return user.run(value.id, () => super.submit(name, value, options));
  }

  task(extra = {}, odd = undefined) {
    const { random } = this;
    if (random.chance(this.ends)) {
      const [value, options] = super.task(extra, odd);
      if (ENDLESS_CALLS.includes(value.call)) value.call = 'back';
      return [value, options];
    }
    const name = random.weighted({ default: 8, later: 4, large: 2, busy: 1, stored: this.hasStores ? 2 : 0 });
    const value = { id: this.tasks++ };
    if (name === 'large') value.length = random.of([0, 100, 5000]);
    if (name === 'busy') value.milliseconds = random.of([1, 5, 50]);
    if (this.isReal && random.chance(0.1)) return [this.#sharing(value), { ...extra, name: 'shares' }];
    return [value, { ...extra, name }];
  }

  #sharing({ id }) {
    return { id, shared: new Int32Array(new SharedArrayBuffer(4)) };
  }

  /** What the pool promises for all that is submitted meanwhile, but for what may wait for a worker that waits for it. */
  gather(submit) {
    const outer = this.#gathered;
    const gathered = [];
    this.#gathered = gathered;
    try {
      submit();
    } finally {
      this.#gathered = outer;
    }
    return gathered;
  }

  watch(name, promise, counts, isSafe) {
    if (!['key', 'broadcast', 'second'].includes(name)) this.#gathered?.push(promise);
    promise.catch(({ code }) => {
      if (code === 'PLIMSOLL_POOL_DEADLOCK' && isSafe)
        this.fault(`${name} was refused: no worker could run it`);
    });
    return super.watch(name, promise, counts, isSafe);
  }

  /** At most one worker less than there may be waits for others: so one can always run these. */
  #mayWait() {
    return this.waiters < this.pool.core.options.maxThreads - 1;
  }

  #waiting(submit) {
    this.waiters++;
    const [promise] = this.gather(submit);
    const end = () => this.waiters--;
    promise.then(end, end);
  }

  /** Tasks that call functions which submit others. */
  $meet() {
    const { random } = this;
    if (random.chance(0.5)) this.#move(random.between(4, 40));
    this.#meet(random.between(1, 3));
    if (random.chance(0.5)) this.#move(random.between(4, 40));
    if (this.#gathered === undefined && random.chance(0.5)) return this.steps(random.between(0, 60));
  }

  #meet(many) {
    const { random } = this;
    for (let task = many; task > 0; task--) {
      const [value, options] = this.#meeting(this.#mayWait());
      if (random.chance(this.ends)) options.signal = this.signal();
      if (random.chance(this.ends)) options.grace = random.between(1, 50);
      this.#waiting(() => this.submit('meets', value, options));
    }
  }

  #meeting(mayWait) {
    const { random } = this;
    const call = mayWait ? random.of(['burst', 'burstLater']) : 'scatter';
    // While it blocks the last worker, its function would be refused every task.
    const mayBlock = mayWait && random.chance(this.isReal ? 0.4 : 0.02);
    const name = mayBlock ? 'meetsBlocking' : 'meets';
    return [{ id: this.tasks++, call, storesId: this.hasStores }, { name }];
  }

  #move(many) {
    for (let task = many; task > 0; task--) this.transfer(BYTES, {});
  }

  $move() {
    this.#move(this.random.between(24, 80));
  }

  async $transfers() {
    this.$move();
    await this.steps(this.random.between(0, 100));
  }

  maybePriority() {
    return this.#left.has('priority') ? {} : super.maybePriority();
  }

  /** What is quick is quick: no time passes while anything goes on. */
  passesTime(step) {
    return step % 8 === 7;
  }

  transfer(bytes, options) {
    if (this.random.chance(0.9)) return super.transfer(bytes, options);
    this.submitMoved(new ArrayBuffer(bytes ?? BYTES));
  }

  /** There and back. */
  submitMoved(buffer) {
    const { byteLength } = buffer;
    const promise = this.pool.run(move(buffer), { name: 'moved' });
    this.watch('moved', promise, true, true);
    promise.then(
      (back) => back.byteLength === byteLength || this.fault(`${back.byteLength} bytes are back`),
      () => {},
    );
  }

  $proxy() {
    const { random } = this;
    const proxy = this.pool.proxy(random.chance(0.2) ? { priority: 1 } : {});
    for (let call = random.between(1, 40); call > 0; call--) {
      const id = this.tasks++;
      const length = random.of([16, BYTES]);
      const promise = proxy.measured(id, move(new ArrayBuffer(length)));
      this.watch('proxy', promise, true, true);
      promise.then(
        (result) => {
          if (result.id !== id || result.length !== length)
            this.fault(`${id} gave ${JSON.stringify(result)}`);
        },
        () => {},
      );
    }
  }

  $fed() {
    const many = this.random.between(0, 40);
    const feed = (async function* () {
      for (let item = 0; item < many; item++) yield move(new ArrayBuffer(BYTES));
    })();
    const promise = this.pool.run(feed, { name: 'lengths' });
    this.watch('fed', promise, true, true);
    promise.then(
      (sum) => sum === many * BYTES || this.fault(`${sum} bytes of ${many} items`),
      () => {},
    );
  }

  /** Two tasks with a channel between them: the second waits for what the first says. */
  $pair() {
    if (!this.#mayWait()) return;
    const { random } = this;
    const between = new MessageChannel();
    const end = new MessageChannel();
    const says = () => {
      const value = { id: this.tasks++, port: between.port1 };
      const [promise] = this.gather(() =>
        this.submit('says', value, { name: 'says', transferList: [between.port1] }),
      );
      promise.catch(() => end.port1.postMessage('nothing comes'));
      promise.finally(() => end.port1.unref()).catch(() => {});
    };
    const waits = () => {
      const value = { id: this.tasks++, port: between.port2, end: end.port2 };
      this.#waiting(() =>
        this.submit('waits', value, { name: 'waits', transferList: [between.port2, end.port2] }),
      );
    };
    if (random.chance(0.5)) this.#move(random.between(5, 30));
    const [earlier, later] = random.chance(0.5) ? [says, waits] : [waits, says];
    earlier();
    if (random.chance(0.5)) this.#move(random.between(1, 5));
    later();
    if (random.chance(0.5)) this.#move(random.between(5, 30));
  }

  /** Never fewer workers than those that wait for others, and one for these. */
  $resize() {
    const maxThreads = this.random.between(Math.min(5, this.waiters + 1), 5);
    this.pool.resize({ minThreads: this.random.between(0, maxThreads), maxThreads });
  }

  /** Tasks of another pool whose functions of the host submit to this one. */
  $second() {
    const { random } = this;
    this.second ??= this.newPool(
      {
        minThreads: random.between(0, 1),
        maxThreads: random.between(1, 2),
        concurrentTasksPerWorker: random.between(1, 2),
        recordTiming: false,
        host: burstFunctions(this),
        hostTimeout: this.hostTimeoutOf(),
        context: this.options.context,
      },
      random.bits(),
      1,
    );
    for (let task = random.between(1, 3); task > 0; task--) {
      const [value, options] = this.#meeting(true);
      const promise = user.run(value.id, () => this.second.run(value, options));
      this.watch('second', promise, false);
      promise.catch((error) => error?.isWrong && this.fault(error.message));
    }
  }

  async step() {
    const happened = await super.step();
    const second = await this.second?.step();
    return happened ?? second;
  }

  async advance(milliseconds) {
    await super.advance(milliseconds);
    await this.second?.advance(milliseconds);
  }

  async end(runLate) {
    let isOver = this.second === undefined;
    this.second?.close().then(
      () => {
        isOver = true;
      },
      (error) => this.fault(`the second pool: ${error.message}`),
    );
    for (let step = 0; !isOver && this.faults.length === 0; step++) {
      if (step > this.patience) this.fault('the second pool does not end');
      if (!(await this.steps(1))) await this.advance(5);
    }
    this.second = undefined;
    if (this.faults.length === 0) await super.end(runLate);
  }

  drop() {
    super.drop();
    this.second?.destroy().catch(() => {});
  }
}
