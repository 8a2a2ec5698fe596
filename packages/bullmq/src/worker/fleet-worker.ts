import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { hostname } from 'node:os';
import { Pool } from '@plimsoll/pool';
import { flag, isInTime, LONGEST_TIMER, plainCopy, usableCores } from '@plimsoll/pool/internal';
import { prometheusText } from '@plimsoll/pool/observe';
import { type Job, Worker } from 'bullmq';
import { FleetError } from '../errors.js';
import { Cancellations } from '../shared/cancellations.js';
import { type Client, codedError, Link } from '../shared/connection.js';
import { keyOf, type QueuePlace } from '../shared/keys.js';
import { type CheckedWorker, checkWorker, type FleetWorkerOptions } from '../shared/options.js';
import { HEARTBEAT, Registry, type WorkerEntry } from '../shared/registry.js';
import { Payloads } from '../shared/wire.js';
import { type Health, HealthServer } from './health.js';
import { RunningJobs } from './running.js';

/** Milliseconds that jobs have to get back into the queue, when they were not done in time. */
const GIVEN_BACK = 5_000;
/** Milliseconds of these that a task has to end by itself, if its grace is longer. */
const LAST_GRACE = GIVEN_BACK / 2;

/** Options of `close()`. */
export interface FleetWorkerCloseOptions {
  /** Give jobs that run back to the queue at once, also when it closes already. Default: false. */
  readonly force?: boolean | undefined;
}

/** What there is once the worker has started. */
interface Parts {
  readonly worker: Worker;
  readonly jobs: RunningJobs;
  readonly registry: Registry;
  /** Tells Redis that this worker lives, and finds out whether it may take jobs. */
  beat(): Promise<unknown>;
}

/**
 * A worker process of a queue: BullMQ gives it jobs, the threads of a pool run them. The event loop of the process stays free, so
 * locks are renewed in time however long a task computes.
 *
 * Events: 'completed' and 'failed' (a job id, and why), 'offline' (why) and 'online' for the connection to Redis, 'stalled' (a job
 * id that this process has found), 'error' for anything else that went wrong, which needs no listener, 'close'.
 *
 * @example
 * const worker = createFleetWorker({ queue: 'numbers', connection: process.env.REDIS_URL, filename: '/app/tasks.js' });
 * process.once('SIGTERM', () => worker.close());
 */
export class FleetWorker extends EventEmitter {
  readonly #options: CheckedWorker;
  readonly #id = randomUUID();
  readonly #pool: Pool;
  readonly #link: Link;
  readonly #started: Promise<void>;
  #health: HealthServer | undefined;
  #names: readonly string[] = [];
  #worker: Worker | undefined;
  #parts: Parts | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #lastGrace: NodeJS.Timeout | undefined;
  /** Why Redis lets this worker take no jobs. */
  #refusal: FleetError | undefined;
  #isBeating = false;
  #ended = 0;
  #closing: Promise<void> | undefined;

  /** @throws TypeError or RangeError with code PLIMSOLL_POOL_BAD_OPTION */
  constructor(options: FleetWorkerOptions) {
    super();
    this.#options = checkWorker(options, usableCores());
    const { filename, threads, pool } = this.#options;
    this.#link = new Link(this.#options, {
      online: () => this.emit('online'),
      offline: (reason) => this.emit('offline', reason),
      lost: () => {},
    });
    try {
      this.#pool = new Pool({ ...pool, filename, minThreads: threads, maxThreads: threads });
    } catch (error) {
      this.#link.close();
      throw error;
    }
    this.#pool.on('error', (error: Error) => this.#onError(error));
    this.#started = this.#start();
    this.#started.catch(() => this.#stop());
  }

  /** The module is loaded, Redis is reached, and jobs are taken. Rejects with what keeps it from that; then it has closed itself. */
  ready(): Promise<void> {
    return this.#started;
  }

  /** The pool that runs the tasks: for `observe()` and `histogram`. */
  get pool(): Pool {
    return this.#pool;
  }

  get isStarted(): boolean {
    return this.#parts !== undefined;
  }

  /** The functions that tasks can call. */
  get names(): readonly string[] {
    return this.#names;
  }

  /** The port of the health endpoint. */
  get healthPort(): number | undefined {
    return this.#health?.port;
  }

  /** What `/health` says. */
  get health(): Health {
    const { queue, threads } = this.#options;
    return { status: this.#status, queue, threads, running: this.#parts?.jobs.size ?? 0, ended: this.#ended };
  }

  get #status(): Health['status'] {
    if (this.#closing !== undefined) return 'closing';
    if (this.#parts === undefined) return 'starting';
    if (!this.#link.isOnline) return 'offline';
    return this.#refusal === undefined ? 'ok' : 'refused';
  }

  /**
   * Takes no more jobs, lets those that run end (`closeTimeout` at most), gives the others back to the queue, and disconnects.
   */
  async close(options: FleetWorkerCloseOptions = {}): Promise<void> {
    const force = flag('options.force', plainCopy(options).force) ?? false;
    if (force) this.#giveBack();
    // A worker that still waits for Redis, or for its task module, has nothing to end.
    if (this.#parts === undefined) {
      this.#link.close();
      void this.#pool.destroy().catch(() => {});
    }
    this.#closing ??= this.#close(force);
    await this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #start(): Promise<void> {
    const { health, healthHost } = this.#options;
    if (health !== undefined) {
      this.#health = new HealthServer(
        () => this.health,
        () => prometheusText({ [this.#options.queue]: this.#pool }),
      );
      await this.#health.listen(health, healthHost);
    }
    [this.#names] = await Promise.all([this.#pool.names(), this.#link.usable()]);
    await this.#open();
  }

  async #open(): Promise<void> {
    const { client } = this.#link;
    const { prefix, queue, threads, version, lockDuration, stalledInterval, maxStalledCount } = this.#options;
    const place = { id: this.#id, host: hostname(), pid: process.pid };
    const self: WorkerEntry = { ...place, threads, version, names: this.#names };
    const registry = new Registry(client, this.#options);
    const payloads = new Payloads(client, this.#options);
    const cancellations = new Cancellations(client, this.#options);
    const parts = { self, registry, payloads, cancellations };
    const jobs = new RunningJobs({ options: this.#options, pool: this.#pool, ...parts });
    const worker = new Worker(queue, (job, token) => jobs.process(job, token), {
      ...{ connection: client, prefix, autorun: false, concurrency: threads, runRetryDelay: 1000 },
      ...{ lockDuration, stalledInterval, maxStalledCount },
    });
    this.#worker = worker;
    this.#listen(worker, jobs);
    const beat = (): Promise<unknown> => Promise.all([registry.renew(self), mayTake(client, this.#options)]);
    // Without the rights that BullMQ needs it would try for ever, and without a pause.
    await this.#link.answer(Promise.all([worker.waitUntilReady(), beat(), cancellations.subscribe()]));
    this.#parts = { worker, jobs, registry, beat };
    this.#heartbeat = setInterval(() => void this.#beat(), HEARTBEAT).unref();
    worker.run().catch((error: Error) => this.#onError(error));
  }

  /** No jobs are taken while Redis refuses that: a right was taken away, it is a replica by now, it has no memory left. */
  async #beat(): Promise<void> {
    if (this.#parts === undefined || this.#isBeating) return;
    this.#isBeating = true;
    const { worker, beat } = this.#parts;
    const failure = await beat().catch(codedError);
    this.#isBeating = false;
    const refusal = failure instanceof FleetError ? failure : undefined;
    if (this.#closing !== undefined || (refusal === undefined) === (this.#refusal === undefined)) return;
    this.#refusal = refusal;
    if (refusal !== undefined) this.#onError(refusal);
    await (refusal === undefined ? worker.resume() : worker.pause(true)).catch((error: Error) =>
      this.#onError(error),
    );
  }

  #listen(worker: Worker, jobs: RunningJobs): void {
    worker.on('completed', (job) => {
      this.#end(jobs, job);
      this.emit('completed', job.id);
    });
    worker.on('failed', (job, error) => {
      this.#end(jobs, job);
      this.emit('failed', job?.id, error);
    });
    worker.on('stalled', (id) => this.emit('stalled', id));
    worker.on('lockRenewalFailed', (ids) => jobs.abandon(ids));
    worker.on('error', (error) => {
      this.#onError(error);
      if (codedError(error) !== error) void this.#beat();
    });
  }

  #end(jobs: RunningJobs, job: Job | undefined): void {
    this.#ended++;
    if (job !== undefined) void jobs.dropTask(job).catch(() => {});
  }

  #onError(error: Error): void {
    if (this.listenerCount('error') > 0) this.emit('error', error);
  }

  async #close(force: boolean): Promise<void> {
    await this.#started.catch(() => {});
    if (this.#parts !== undefined) await this.#endJobs(this.#parts, force ? 0 : this.#options.closeTimeout);
    await this.#stop();
    this.emit('close');
  }

  #giveBack(): void {
    this.#parts?.jobs.giveBack();
    this.#lastGrace ??= setTimeout(() => this.#pool.destroy().catch(() => {}), LAST_GRACE);
  }

  async #endJobs({ worker, registry }: Parts, timeout: number): Promise<void> {
    const giveBack = timeout > LONGEST_TIMER ? undefined : setTimeout(() => this.#giveBack(), timeout);
    // Without Redis nothing can be given back: then the locks run out, and other workers find the jobs.
    await isInTime(worker.close(), timeout + GIVEN_BACK);
    clearTimeout(giveBack);
    if (this.#link.isOnline) await isInTime(registry.remove(this.#id), GIVEN_BACK).catch(() => {});
  }

  async #stop(): Promise<void> {
    clearInterval(this.#heartbeat);
    clearTimeout(this.#lastGrace);
    void this.#worker?.close(true).catch(() => {});
    this.#health?.close();
    this.#link.close();
    await this.#pool.destroy();
  }
}

/** A take as BullMQ's, but of nothing: by a script on two keys of the queue, and a command that blocks. */
async function mayTake(client: Client, { prefix, queue }: QueuePlace): Promise<void> {
  await client.eval('return 0', 2, `${prefix}:${queue}:wait`, `${prefix}:${queue}:active`);
  await client.bzpopmin(keyOf({ prefix, queue }, 'nothing'), 0.001);
}

/**
 * A worker of a queue in this process. The command `plimsoll-worker` is this with a command line around it.
 *
 * @throws TypeError or RangeError with code PLIMSOLL_POOL_BAD_OPTION
 * @example
 * const worker = createFleetWorker({ queue: 'images', filename: new URL('./tasks.js', import.meta.url) });
 * await worker.ready();
 * process.once('SIGTERM', () => worker.close());
 */
export const createFleetWorker = (options: FleetWorkerOptions): FleetWorker => new FleetWorker(options);
