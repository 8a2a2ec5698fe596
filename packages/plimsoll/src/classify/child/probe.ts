import { AsyncResource } from 'node:async_hooks';
import { access, closeSync, constants, mkdirSync, open, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sum } from '../../collections/sum.js';
import type { ThreadInfo } from '../../host/pool-threads.js';
import { waitKindOf } from '../../libuv/wait-kinds.js';
import { BadModule } from '../../workloads/module.js';
import { loadTarget } from '../../workloads/target.js';
import type { EntryContext } from '../catalogue/entry.js';
import type { Observation, ProbeAnswer, ProbeJob, Release } from '../messages.js';
import type { LocalServers } from '../servers.js';
import { Call } from './call.js';
import { serveObservation } from './serve-observation.js';

export function serve(before: ThreadInfo[], after: ThreadInfo[]): void {
  serveObservation(before, after, prepare, (start, job: ProbeJob) =>
    job.fifos.length === 0 ? observeFree(start, job) : observeBlocked(start, job),
  );
}

async function prepare({ subject, directory, servers }: ProbeJob): Promise<() => unknown> {
  if (subject.kind === 'target') return loadTarget(subject.target);
  const { catalogue } = await import('../catalogue/catalogue.js');
  const entry = catalogue.find(({ name }) => name === subject.name);
  if (entry === undefined) throw new BadModule(`there is no entry ${subject.name}`);
  const context = entryContext(directory, servers);
  return () => entry.run(context);
}

async function observeFree(start: () => unknown, { deadlineMs }: ProbeJob): Promise<ProbeAnswer> {
  await turned();
  const call = new Call(start);
  await Promise.race([call.ended, sleep(deadlineMs)]);
  return observed(call, false, null);
}

async function observeBlocked(
  start: () => unknown,
  { fifos, windowMs, deadlineMs }: ProbeJob,
): Promise<ProbeAnswer> {
  blockPool(fifos);
  await turned();
  const first = new Call(start);
  await Promise.race([first.ended, sleep(windowMs)]);
  if (first.outcome !== 'pending') return observed(first, true, null);

  await turned();
  const second = new Call(start);
  await Promise.race([second.ended, sleep(windowMs / 2)]);
  if ((first.outcome as Observation['outcome']) !== 'pending') return observed(first, true, null);

  const order: string[] = [];
  const quick = new Promise<void>((resolve) =>
    access('.', () => {
      order.push('quick');
      resolve();
    }),
  );
  await turned();
  await sleep(1);
  if (order.length > 0) return { type: 'not-blocked' };
  note(first, 'first', order);
  note(second, 'second', order);
  await release(fifos.slice(0, 1));
  await Promise.race([quick, sleep(deadlineMs)]);
  // An operation that was served before the quick job has called back by now.
  const earlier = order.slice(0, Math.max(0, order.indexOf('quick')));
  const served: Release = { firstServed: earlier.includes('first'), overtaken: !earlier.includes('second') };
  await release(fifos.slice(1));
  await Promise.race([first.ended, sleep(deadlineMs)]);
  return observed(first, false, served);
}

function note(call: Call, name: string, order: string[]): void {
  const served = (): void => {
    if (!order.includes(name)) order.push(name);
  };
  call.onCallback = (type) => {
    if (waitKindOf(type) === null) served();
  };
  void call.ended.then(served);
}

/**
 * Occupy a pool thread per FIFO without using CPU: open(2) waits in the kernel until a writer opens the FIFO. The queue is first in,
 * first out, so later jobs wait behind these, whether or not the threads have arrived there.
 */
function blockPool(fifos: readonly string[]): void {
  for (const fifo of fifos)
    open(fifo, 'r', (error, file) => {
      if (error !== null) throw error;
      closeSync(file);
    });
}

async function release(fifos: readonly string[]): Promise<void> {
  for (const fifo of fifos) while (!openedForWriting(fifo)) await sleep(1);
}

function openedForWriting(fifo: string): boolean {
  try {
    closeSync(openSync(fifo, constants.O_WRONLY | constants.O_NONBLOCK));
    return true;
  } catch (error) {
    // Its thread has not arrived yet, so nobody reads it.
    if ((error as NodeJS.ErrnoException).code === 'ENXIO') return false;
    throw error;
  }
}

const turned = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function observed(call: Call, whileBlocked: boolean, served: Release | null): ProbeAnswer {
  const { outcome, error, startedMs, endedMs, synchronous, ran, callbacks } = call;
  return {
    type: 'observed',
    observation: {
      ...{ outcome, error, whileBlocked, synchronous, release: served },
      ms: endedMs === null ? null : endedMs - startedMs,
      busyMs: sum(ran.map(([since, until]) => until - since)),
      callbacks: [...new Set(callbacks)],
    },
  };
}

/** More than any entry takes in the two calls of a process. */
const SUPPLY = 6;
const MEANWHILE_MS = 5;

function entryContext(directory: string, servers: LocalServers): EntryContext {
  const supply = (make: (path: string) => void, name: string): (() => string) => {
    const paths = Array.from({ length: SUPPLY }, (_, index) => join(directory, `${name}-${index}`));
    for (const path of paths) make(path);
    return () => paths.pop() as string;
  };
  const file = supply((path) => writeFileSync(path, 'plimsoll'), 'file');
  const descriptors = Array.from({ length: 2 }, () => openSync(file(), 'r+'));
  const outside = new AsyncResource('Meanwhile');
  return {
    meanwhile(work) {
      const timer = outside.runInAsyncScope(() => setInterval(work, MEANWHILE_MS));
      return () => clearInterval(timer);
    },
    file,
    opened: () => descriptors.pop() as number,
    folder: supply((path) => mkdirSync(path), 'folder'),
    path: supply(() => {}, 'path'),
    servers,
  };
}
