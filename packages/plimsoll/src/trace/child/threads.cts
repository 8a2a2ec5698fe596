import fs = require('node:fs');

import type { Line, ThreadState } from './lines.cjs';

import proc = require('../../lab/child/own-threads.cjs');
import log = require('./log.cjs');

const { POOL_THREAD, list, read } = proc;

/** The number of futex(2), in which an idle pool thread waits for work. */
const FUTEX: Readonly<Record<string, string>> = { x64: '202', arm64: '98' };

/** Threads that run no JavaScript, by the names that Node, V8 and libuv give them; older versions name none. */
const NO_LOOP = /^(libuv-worker|(node-)?V8Worker|DelayedTask|SignalInspec|TraceEvent|iou-)/;

/** Threads keep their names, but until a new one gives itself a name it has that of the thread which made it. */
const names = new Map<number, string>();

function nameOf(tid: number): string {
  const name = names.get(tid) ?? proc.nameOf(tid);
  names.set(tid, name);
  return name;
}

/** Nanoseconds on a core and waiting for one; `null` where the kernel does not tell. */
function usage(tid: number): { cpu: number; waited: number } | null {
  const [cpu = NaN, waited = NaN] = (read(tid, 'schedstat') ?? '').split(' ').map(Number);
  return Number.isNaN(cpu + waited) ? null : { cpu, waited };
}

/** `null` where the kernel does not tell. */
function stateOf(tid: number): ThreadState | null {
  const futex = FUTEX[process.arch];
  const call = read(tid, 'syscall')?.split(' ', 1)[0];
  if (futex === undefined || call === undefined || call === '') return null;
  return call === futex ? 0 : call === 'running' ? 1 : 2;
}

/** CPU time of all threads that may run an event loop, without `pool`; of the whole process where the kernel does not tell. */
function loopCpuMs(pool: ReadonlySet<number>): number {
  const loops = list().filter((tid) => !pool.has(tid) && !NO_LOOP.test(nameOf(tid)));
  const used = loops.flatMap((tid) => usage(tid)?.cpu ?? []);
  if (used.length > 0) return used.reduce((sum, cpu) => sum + cpu) / 1e6;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The kernel's id of the calling thread; `null` where there is no /proc. */
function self(): number | null {
  try {
    return Number(fs.readlinkSync('/proc/thread-self').split('/').at(-1));
  } catch {
    return null;
  }
}

/** So many times as long as a sample takes passes until the next: with a thousand threads it comes less often. */
const REST = 20;

/** Samples who got a core, who waited for one, and what pool threads are at. */
class ThreadSampler {
  readonly #before = new Map<number, { cpu: number; waited: number }>();
  readonly #self = self();
  readonly #tells = stateOf(this.#self ?? process.pid) !== null;
  /** Appeared in the last sample. */
  #young: Line<'threads'>['new'] = [];
  #nextAt = 0;

  isDue(): boolean {
    return log.now() >= this.#nextAt;
  }

  sample(): Line<'threads'> {
    const at = log.now();
    const isFirst = this.#nextAt === 0;
    for (const [tid] of this.#young) names.delete(tid);
    const appeared = this.#young.flatMap(([tid, name]): Line<'threads'>['new'] =>
      nameOf(tid) === name || nameOf(tid) === '' ? [] : [[tid, nameOf(tid)]],
    );
    const renamed = appeared.length;
    const use: Line<'threads'>['use'][number][] = [];
    for (const tid of list()) {
      const used = usage(tid);
      if (used === null) continue;
      const known = this.#before.get(tid);
      if (known === undefined) appeared.push([tid, nameOf(tid)]);
      this.#before.set(tid, used);
      // What a thread had used before the first sample is not of this interval.
      const before = known ?? (isFirst ? used : { cpu: 0, waited: 0 });
      const [cpu, waited] = [used.cpu - before.cpu, used.waited - before.waited];
      const state = this.#tells && this.#mayBePool(tid) ? stateOf(tid) : null;
      if (cpu > 0 || waited > 0 || state === 1 || state === 2) use.push([tid, cpu, waited, state]);
    }
    this.#young = appeared.slice(renamed);
    this.#nextAt = at + REST * (log.now() - at);
    return { type: 'threads', at, new: appeared, tells: this.#tells, use };
  }

  /** It is called so, or has no name that tells what it is. */
  #mayBePool(tid: number): boolean {
    const isPool = nameOf(tid) === POOL_THREAD || !NO_LOOP.test(nameOf(tid));
    return isPool && tid !== process.pid && tid !== this.#self;
  }
}

export = { list, usage, loopCpuMs, self, ThreadSampler };
