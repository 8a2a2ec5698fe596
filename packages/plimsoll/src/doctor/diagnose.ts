import { DEFAULT_POOL_SIZE, LARGEST_POOL_SIZE, poolSizeOf } from '../libuv/pool-size.js';
import type { MachineFacts, ProcessFacts } from './facts.js';

/** Something about the size of a process's pool; `report/` says it in a sentence, with the line to change. */
export type DoctorFact =
  /** Set in the program, after its pool had been created. */
  | {
      readonly id: 'doctor.set-too-late';
      readonly pid: number;
      readonly asked: string;
      readonly threads: number;
    }
  /** Set in the program, early enough; one import before it, and it is not. */
  | {
      readonly id: 'doctor.set-in-program';
      readonly pid: number;
      readonly asked: string;
      readonly threads: number | null;
    }
  | { readonly id: 'doctor.set-on-windows'; readonly pid: number; readonly asked: string }
  | {
      readonly id: 'doctor.set-for-worker';
      readonly pid: number;
      readonly asked: readonly string[];
      readonly threads: number | null;
    }
  /** libuv reads the text as something that nobody means. */
  | { readonly id: 'doctor.empty'; readonly pid: number; readonly threads: number }
  | {
      readonly id: 'doctor.not-a-number';
      readonly pid: number;
      readonly asked: string;
      readonly threads: number;
    }
  | { readonly id: 'doctor.zero'; readonly pid: number; readonly asked: string; readonly threads: number }
  | { readonly id: 'doctor.negative'; readonly pid: number; readonly asked: string; readonly threads: number }
  | { readonly id: 'doctor.above-most'; readonly pid: number; readonly asked: string; readonly most: number }
  | { readonly id: 'doctor.cut-off'; readonly pid: number; readonly asked: string; readonly threads: number }
  | {
      readonly id: 'doctor.other-count';
      readonly pid: number;
      readonly asked: number;
      readonly threads: number;
    }
  | { readonly id: 'doctor.pm2-environment'; readonly pid: number; readonly asked: string | null }
  | {
      readonly id: 'doctor.parallelism-over-quota';
      readonly pid: number;
      readonly said: number;
      readonly cpus: number;
    }
  | {
      readonly id: 'doctor.pids-limit';
      readonly pid: number;
      readonly size: number;
      readonly headroom: number;
    }
  | { readonly id: 'doctor.exit-delayed'; readonly pid: number; readonly ms: number }
  | { readonly id: 'doctor.default'; readonly pid: number; readonly threads: number }
  /** Resized while it runs: the size that was asked for last. */
  | { readonly id: 'doctor.resized'; readonly pid: number; readonly asked: number; readonly threads: number }
  /** It runs, and nothing tells how many threads its pool has. */
  | { readonly id: 'doctor.not-counted'; readonly pid: number; readonly platform: NodeJS.Platform }
  /** It runs, and has no pool yet. */
  | { readonly id: 'doctor.not-used'; readonly pid: number; readonly size: number }
  /** The command has PM2's daemon start the app, and ends. */
  | { readonly id: 'doctor.pm2-command'; readonly pid: number };

/** Facts of these kinds mean that the size is not the one asked for, or that the process cannot have it. */
export const WRONG: ReadonlySet<DoctorFact['id']> = new Set<DoctorFact['id']>([
  'doctor.set-too-late',
  'doctor.set-on-windows',
  'doctor.set-for-worker',
  'doctor.empty',
  'doctor.not-a-number',
  'doctor.zero',
  'doctor.negative',
  'doctor.above-most',
  'doctor.cut-off',
  'doctor.other-count',
  'doctor.pids-limit',
]);

/** Facts of these kinds mean that the size cannot be told. */
export const UNKNOWN: ReadonlySet<DoctorFact['id']> = new Set<DoctorFact['id']>([
  'doctor.not-counted',
  'doctor.not-used',
  'doctor.pm2-command',
]);

/** A process that has nothing left to do ends within this time, even on a busy machine. */
const EXIT_MS = 250;

/** The size that the process's pool has, or gets with its first job. */
export const sizeOf = ({ initial, current, threads, libuv, usedBy }: ProcessFacts): number =>
  threads ?? poolSizeOf(usedBy === 'nobody' ? current : initial, libuv ?? undefined);

/** What is to be said of a process, the most important first. */
export function diagnose(process: ProcessFacts, machine: MachineFacts): DoctorFact[] {
  if (isPm2(process)) return [{ id: 'doctor.pm2-command', pid: process.pid }];
  const facts = [
    ...ofProgram(process),
    ...ofText(process),
    ...ofWorkers(process),
    ...ofCount(process),
    ...ofMachine(process, machine),
    ...ofExit(process),
  ];
  // What is wrong for certain needs no count.
  return facts.some(({ id }) => WRONG.has(id)) ? facts.filter(({ id }) => !UNKNOWN.has(id)) : facts;
}

/** The command line of PM2, which hands apps to its daemon, or that daemon; `pm2-runtime` runs them itself. */
const PM2_OWN = /[\\/](pm2(-dev)?|pm2[\\/]lib[\\/](binaries[\\/](CLI|DevCLI)|Daemon)\.js)$/;
const isPm2 = ({ script }: ProcessFacts): boolean => script !== null && PM2_OWN.test(script);

/** The program assigned the variable itself. */
function ofProgram(process: ProcessFacts): DoctorFact[] {
  const { pid, initial, current, threads, libuv, platform, pm2, resized } = process;
  if (current === null || current === initial || resized) return [];
  // process.env sets the environment block of Windows, and libuv reads the one of the C runtime, made at the start.
  if (platform === 'win32') return [{ id: 'doctor.set-on-windows', pid, asked: current }];
  if (threads !== null && threads !== poolSizeOf(current, libuv ?? undefined))
    return [{ id: 'doctor.set-too-late', pid, asked: current, threads }];
  // PM2's own code sets the variable in cluster mode, before it loads the app.
  return pm2 ? [] : [{ id: 'doctor.set-in-program', pid, asked: current, threads }];
}

function ofText({ pid, initial, current, libuv, pm2 }: ProcessFacts): DoctorFact[] {
  const asked = current ?? initial;
  if (asked === null) return pm2 ? [{ id: 'doctor.pm2-environment', pid, asked }] : [];
  const threads = poolSizeOf(asked, libuv ?? undefined);
  const text = asked.trim();
  const own = ((): DoctorFact[] => {
    if (text === '') return [{ id: 'doctor.empty', pid, threads }];
    if (/^-\d/.test(text)) return [{ id: 'doctor.negative', pid, asked, threads }];
    if (!/^\+?\d/.test(text)) return [{ id: 'doctor.not-a-number', pid, asked, threads }];
    if (/^\+?0+$/.test(text)) return [{ id: 'doctor.zero', pid, asked, threads }];
    if (!/^\+?\d+$/.test(text)) return [{ id: 'doctor.cut-off', pid, asked, threads }];
    if (Number(text) > LARGEST_POOL_SIZE)
      return [{ id: 'doctor.above-most', pid, asked, most: LARGEST_POOL_SIZE }];
    return [];
  })();
  return pm2 ? [...own, { id: 'doctor.pm2-environment', pid, asked }] : own;
}

/** Of a process without a job: the main thread, one for signals, five of V8. */
const OWN_THREADS = 7;

/** No pool has been created, and the limit has no room for one. */
export const lacksRoom = (process: ProcessFacts, pidsHeadroom: number | null): boolean =>
  pidsHeadroom !== null && process.usedBy === 'nobody' && pidsHeadroom < sizeOf(process) + OWN_THREADS;

const ofWorkers = ({ pid, workers, threads }: ProcessFacts): DoctorFact[] =>
  workers.length === 0 ? [] : [{ id: 'doctor.set-for-worker', pid, asked: workers, threads }];

/** The threads are not those of the variable, and the program did not touch it. */
function ofCount(process: ProcessFacts): DoctorFact[] {
  const { pid, initial, current, threads, libuv, usedBy, platform, resized } = process;
  if (threads === null && usedBy === 'nobody') return [{ id: 'doctor.not-used', pid, size: sizeOf(process) }];
  if (threads === null) return [{ id: 'doctor.not-counted', pid, platform }];
  if (resized) {
    const asked = poolSizeOf(current, libuv ?? undefined);
    return threads === asked ? [] : [{ id: 'doctor.resized', pid, asked, threads }];
  }
  if (current !== null && current !== initial) return [];
  const asked = poolSizeOf(initial, libuv ?? undefined);
  if (threads !== asked) return [{ id: 'doctor.other-count', pid, asked, threads }];
  return initial === null ? [{ id: 'doctor.default', pid, threads: DEFAULT_POOL_SIZE }] : [];
}

function ofMachine(process: ProcessFacts, { effectiveCpus, pidsHeadroom }: MachineFacts): DoctorFact[] {
  const { pid, availableParallelism: said } = process;
  return [
    ...(said !== null && said > Math.ceil(effectiveCpus)
      ? [{ id: 'doctor.parallelism-over-quota' as const, pid, said, cpus: effectiveCpus }]
      : []),
    ...(pidsHeadroom !== null && lacksRoom(process, pidsHeadroom)
      ? [{ id: 'doctor.pids-limit' as const, pid, size: sizeOf(process), headroom: pidsHeadroom }]
      : []),
  ];
}

const ofExit = ({ pid, exitMs }: ProcessFacts): DoctorFact[] =>
  exitMs === null || exitMs < EXIT_MS ? [] : [{ id: 'doctor.exit-delayed', pid, ms: exitMs }];
