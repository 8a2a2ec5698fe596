import { AsyncResource } from 'node:async_hooks';
import { access, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sum } from '../../collections/sum.js';
import type { ThreadInfo } from '../../host/pool-threads.js';
import { waitKindOf } from '../../libuv/wait-kinds.js';
import { BadModule } from '../../workloads/module.js';
import { loadTarget } from '../../workloads/target.js';
import { catalogue } from '../catalogue/catalogue.js';
import type { EntryContext } from '../catalogue/entry.js';
import type { Observation, ProbeAnswer, ProbeJob, Release } from '../messages.js';
import type { LocalServers } from '../servers.js';
import { blockPool, release } from './blockers.js';
import { Call } from './call.js';
import { serveObservation } from './serve-observation.js';

export function serve(before: ThreadInfo[], after: ThreadInfo[]): void {
  serveObservation(before, after, prepare, (start, job: ProbeJob) =>
    job.fifos.length === 0 ? observeFree(start, job) : observeBlocked(start, job),
  );
}

async function prepare({ subject, directory, servers }: ProbeJob): Promise<() => unknown> {
  if (subject.kind === 'target') return loadTarget(subject.target);
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
  // An operation that was served before the quick job has been called back by now; the others are only released.
  const served: Release = {
    firstServed: order.indexOf('first') !== -1 && order.indexOf('first') < order.indexOf('quick'),
    overtaken: !order.slice(0, order.indexOf('quick')).includes('second'),
  };
  await release(fifos.slice(1));
  await Promise.race([first.ended, sleep(deadlineMs)]);
  return observed(first, false, served);
}

function note(call: Call, who: string, order: string[]): void {
  const went = (): void => {
    if (!order.includes(who)) order.push(who);
  };
  call.onCallback = (type) => {
    if (waitKindOf(type) === null) went();
  };
  void call.ended.then(went);
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

/** More than any entry takes in the two calls that a process makes. */
const SUPPLY = 4;
const MEANWHILE_MS = 5;

function entryContext(directory: string, servers: LocalServers): EntryContext {
  const supply = (make: (path: string) => void, name: string): (() => string) => {
    const paths = Array.from({ length: SUPPLY }, (_, index) => join(directory, `${name}-${index}`));
    for (const path of paths) make(path);
    return () => paths.pop() as string;
  };
  const outside = new AsyncResource('Meanwhile');
  return {
    meanwhile(work) {
      const timer = outside.runInAsyncScope(() => setInterval(work, MEANWHILE_MS));
      return () => clearInterval(timer);
    },
    file: supply((path) => writeFileSync(path, 'plimsoll'), 'file'),
    folder: supply((path) => mkdirSync(path), 'folder'),
    path: supply(() => {}, 'path'),
    servers,
  };
}
