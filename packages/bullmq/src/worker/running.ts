import { setTimeout as sleep } from 'node:timers/promises';
import { AbortError, type Pool } from '@plimsoll/pool';
import { messageOf, now, runBytes } from '@plimsoll/pool/internal';
import { DelayedError, type Job, UnrecoverableError, WaitingError } from 'bullmq';
import { FleetError, tooLarge } from '../errors.js';
import type { Cancellations } from '../shared/cancellations.js';
import type { CheckedWorker } from '../shared/options.js';
import type { Registry, WorkerEntry } from '../shared/registry.js';
import { fromText, type JobData, jobData, type Payloads, type Receipt } from '../shared/wire.js';

/** Milliseconds until a job that this worker does not know is offered again. */
const OFFERED_AGAIN = 200;
const MOST_OFFERED = 10_000;
const RETURNED = new AbortError(undefined, 'The worker is closing: the job goes back to the queue');
const LOST = new AbortError(undefined, 'The lock of the job is lost: it belongs to another worker');

/** What running a job needs of its worker. */
export interface JobSite {
  readonly options: CheckedWorker;
  readonly pool: Pool;
  readonly self: WorkerEntry;
  readonly registry: Registry;
  readonly payloads: Payloads;
  readonly cancellations: Cancellations;
}

/** Runs the jobs of one worker process in its pool. */
export class RunningJobs {
  readonly #site: JobSite;
  readonly #controllers = new Map<string, AbortController>();
  /** Jobs that were handed over. */
  readonly #offered = new Set<string>();
  #isReturning = false;

  constructor(site: JobSite) {
    this.#site = site;
  }

  get size(): number {
    return this.#controllers.size;
  }

  /** Ends every task that runs; their jobs wait again for a worker, and so does one that is still on its way here. */
  giveBack(): void {
    this.#isReturning = true;
    for (const controller of this.#controllers.values()) controller.abort(RETURNED);
  }

  /** Ends tasks whose jobs belong to others by now: this process has lost their locks. */
  abandon(ids: readonly string[]): void {
    for (const id of ids) this.#controllers.get(id)?.abort(LOST);
  }

  /** For a job that has ended here. */
  async dropTask({ id, data, finishedOn }: Job): Promise<void> {
    const isLarge = (Object(data) as Partial<JobData>).beside !== undefined;
    if (isLarge && finishedOn !== undefined) await this.#site.payloads.dropTask(id as string);
  }

  /** What BullMQ calls for a job. @throws what BullMQ is to do with it */
  async process(job: Job, token: string | undefined): Promise<Receipt> {
    const id = job.id as string;
    const controller = new AbortController();
    const unwatch = this.#site.cancellations.watch(id, job.stalledCounter > 0, () =>
      controller.abort(new AbortError(undefined, 'The task was cancelled')),
    );
    this.#controllers.set(id, controller);
    if (this.#isReturning) controller.abort(RETURNED);
    try {
      return await this.#run(job, id, controller.signal);
    } catch (error) {
      const { reason } = controller.signal;
      if (reason === LOST) throw LOST;
      if (reason === RETURNED) throw await returned(job, token);
      if (isUnknown(error, job.name, this.#site.self.names)) throw await this.#handOver(job, token);
      throw await this.#failure(job, error, controller.signal.aborted || isTooLate(error));
    } finally {
      unwatch();
      this.#controllers.delete(id);
    }
  }

  async #run(job: Job, id: string, signal: AbortSignal): Promise<Receipt> {
    const { options, payloads, pool } = this.#site;
    const data = jobData(job.data);
    const { timeout, grace, spread = false, task: text } = data;
    const { maxPayload } = options;
    const task = text === undefined ? await payloads.taskOf(id) : fromText(text);
    const started = now();
    const result = await runBytes(pool, task, maxPayload, spread, { name: job.name, signal, timeout, grace });
    if (typeof result === 'number') throw tooLarge('The result', result, maxPayload);
    return payloads.receiptFor(id, result, now() - started, data.keep);
  }

  /** Another worker may know it, of another version of the module; if there is none, the task has failed. */
  async #handOver(job: Job, token: string | undefined): Promise<Error> {
    const { registry, self, options } = this.#site;
    const others = (await registry.all()).filter(({ id }) => id !== self.id);
    if (others.some(({ names }) => names.includes(job.name))) return this.#offer(job, token);
    return this.#failure(job, unknownTask(job.name, options.queue, [self, ...others]), true);
  }

  /**
   * A delay ends by the clock of whoever looks: where clocks differ, this worker may be the only one to see that. So a job that has
   * come back is for everybody at once, and leaves no room for itself here until somebody else could take it.
   */
  async #offer(job: Job, token: string | undefined): Promise<Error> {
    const id = job.id as string;
    await job.moveToDelayed((await this.#site.registry.time()) + OFFERED_AGAIN, token);
    if (this.#offered.delete(id)) {
      // It fails when somebody has seen the end of the delay.
      await job.promote().catch(() => {});
      await sleep(OFFERED_AGAIN);
    } else {
      if (this.#offered.size >= MOST_OFFERED) this.#offered.clear();
      this.#offered.add(id);
    }
    return new DelayedError();
  }

  /** Keeps all of the error for the host, and gives BullMQ what its job shall say. */
  async #failure(job: Job, error: unknown, isFinal: boolean): Promise<Error> {
    const { keep } = Object(job.data) as Partial<JobData>;
    if (Number.isInteger(keep)) await this.#site.payloads.putError(job.id as string, error, keep as number);
    const message = messageOf(error);
    if (isFinal || error instanceof FleetError) return new UnrecoverableError(message);
    return error instanceof Error ? error : new Error(message);
  }
}

async function returned(job: Job, token: string | undefined): Promise<Error> {
  await job.moveToWait(token);
  return new WaitingError();
}

/** The module is loaded, and has no such function. A list may lack what a class inherits, so the call is tried first. */
const isUnknown = (error: unknown, name: string, names: readonly string[]): boolean =>
  codeOf(error) === 'PLIMSOLL_POOL_LOAD_FAILED' && !names.includes(name);

/** The timeout is that of all attempts together. */
const isTooLate = (error: unknown): boolean => codeOf(error) === 'PLIMSOLL_POOL_TIMEOUT';

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | null | undefined)?.code;

function unknownTask(name: string, queue: string, workers: readonly WorkerEntry[]): FleetError {
  const each = workers.map(({ host, pid, version, names }) => {
    const shown = version === undefined ? '' : ` (version ${version})`;
    return `${host}:${pid}${shown} has ${names.map((one) => `'${one}'`).join(', ')}`;
  });
  return new FleetError(
    'PLIMSOLL_FLEET_UNKNOWN_TASK',
    `No worker of queue '${queue}' exports '${name}': ${each.join('; ')}`,
  );
}
