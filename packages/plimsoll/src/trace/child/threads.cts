import fs = require('node:fs');

import type { Line } from './lines.cjs';

import proc = require('../../lab/child/own-threads.cjs');
import log = require('./log.cjs');

const { POOL_THREAD, list, read } = proc;

/** The number of futex(2), in which an idle pool thread waits for work. */
const FUTEX: Readonly<Record<string, string>> = { x64: '202', arm64: '98' };

/** Threads that run no JavaScript, by the names that Node, V8 and libuv give them; older versions name none. */
const NO_LOOP = /^(libuv-worker|(node-)?V8Worker|DelayedTask|SignalInspec|TraceEvent|iou-)/;

const names = new Map<number, string>();

/** Threads keep their names, so each is read once. */
function nameOf(tid: number): string {
  const name = names.get(tid) ?? proc.nameOf(tid);
  names.set(tid, name);
  return name;
}

/** Nanoseconds on a core and waiting for one; `null` where the kernel does not report them. */
function usage(tid: number): { cpu: number; waited: number } | null {
  const [cpu = Number.NaN, waited = Number.NaN] = (read(tid, 'schedstat') ?? '').split(' ').map(Number);
  return Number.isNaN(cpu + waited) ? null : { cpu, waited };
}

/** Whether a pool thread is blocked in a job; `null` where the kernel does not report it. */
function isBlocked(tid: number): boolean | null {
  const futex = FUTEX[process.arch];
  const call = read(tid, 'syscall')?.split(' ', 1)[0];
  return futex === undefined || !call ? null : call !== futex && call !== 'running';
}

/**
 * CPU time of all threads that may run an event loop; of the whole process where threads cannot be read.
 *
 * @param pool known pool threads, which may have no name.
 */
function loopCpuMs(pool: ReadonlySet<number>): number {
  const loops = list().filter((tid) => !pool.has(tid) && !NO_LOOP.test(nameOf(tid)));
  const used = loops.flatMap((tid) => usage(tid) ?? []);
  const { user, system } = process.cpuUsage();
  return used.length === 0 ? (user + system) / 1000 : used.reduce((sum, { cpu }) => sum + cpu, 0) / 1e6;
}

/** The kernel's id of the calling thread; `null` where there is no /proc. */
function self(): number | null {
  try {
    return Number(fs.readlinkSync('/proc/thread-self').split('/').at(-1));
  } catch {
    return null;
  }
}

/** Pause after a sample, in multiples of its duration: a process of a thousand threads is sampled less often. */
const REST = 20;

/** Samples which threads got a core, which waited for one, and which pool threads were blocked. */
class ThreadSampler {
  readonly #before = new Map<number, { cpu: number; waited: number }>();
  readonly #self = self();
  readonly #tells = isBlocked(this.#self ?? process.pid) !== null;
  #nextAt = 0;

  isDue(): boolean {
    return log.now() >= this.#nextAt;
  }

  sample(): Line<'threads'> {
    const at = log.now();
    const isFirst = this.#nextAt === 0;
    const appeared: Line<'threads'>['new'][number][] = [];
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
      const blocked = this.#mayBePool(tid) && isBlocked(tid) === true;
      if (cpu > 0 || waited > 0 || blocked) use.push([tid, cpu, waited, blocked]);
    }
    this.#nextAt = at + REST * (log.now() - at);
    return { type: 'threads', at, new: appeared, tells: this.#tells, use };
  }

  #mayBePool(tid: number): boolean {
    if (!this.#tells || tid === process.pid || tid === this.#self) return false;
    return nameOf(tid) === POOL_THREAD || !NO_LOOP.test(nameOf(tid));
  }
}

export = { list, usage, loopCpuMs, self, ThreadSampler };
