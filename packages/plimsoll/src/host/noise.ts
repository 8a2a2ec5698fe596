/**
 * What the machine did to a run: counters read before and after it, and what their difference says.
 *
 * Disturbances are told from the machine, never from the result itself: a run must not be repeated because its figure was odd.
 */
import { median } from '../stats/quantile.js';
import { readThrottledPeriods } from './cgroup.js';
import { readText } from './read.js';

/** Counters since boot, all of the whole machine except `nrThrottled`. `null`: unknown. */
export interface MachineCounters {
  atMs: number;
  /** Logical CPUs that the jiffies below are summed over. */
  cpus: number | null;
  stealJiffies: number | null;
  /** Time in processes and kernel threads (user, nice, system); no interrupts: see `parseCpuTimes`. */
  busyJiffies: number | null;
  totalJiffies: number | null;
  /** Pressure stall information: time in which some task waited, in microseconds. */
  psiCpuSomeUs: number | null;
  psiIoSomeUs: number | null;
  psiMemorySomeUs: number | null;
  /** Periods in which a CPU quota stopped this process's cgroup or one above it. */
  nrThrottled: number | null;
}

/** What happened between two readings. Shares are fractions from 0 to 1. `null`: unknown. */
export interface MachineNoise {
  cpus: number | null;
  stealShare: number | null;
  /** Of the elapsed time, each: some task waited for a CPU, for a disk, for memory. */
  psiCpuShare: number | null;
  psiIoShare: number | null;
  psiMemoryShare: number | null;
  throttled: number | null;
  otherCpuCores: number | null;
}

export type Disturbance = 'steal' | 'other-load' | 'psi-cpu' | 'psi-io' | 'psi-memory' | 'throttled';

const STEAL_LIMIT = 0.01;

/**
 * Others may use 0.15 core, and on more than three cores 5 % of the machine.
 *
 * Not less: what the kernel does on a run's behalf is booked to others, too, up to 0.12 core beside a process that writes files
 * without end on a quiet two-core machine. And a kernel that books time by sampling at each tick knows two half-busy cores to about
 * 0.045 core. Not more: a workload that fills both cores loses what others take, and 0.15 core is already 7.5 % of them.
 */
const OTHER_LOAD_LEAST_CORES = 0.15;
const OTHER_LOAD_SHARE = 0.05;

/** A rise of less than 5 points of the elapsed time is no rise, however steady the earlier runs were. */
const PSI_LEAST_RISE = 0.05;
/** A run may catch one period (100 ms) more than another only because of where it began. */
const THROTTLED_LEAST_RISE = 1;

/** Reads all counters at once, synchronously. Never throws: what this machine does not have is `null`. */
export function readMachineCounters(root = '/'): MachineCounters {
  const pressure = (resource: string): number | null =>
    parsePressure(readText(root, `/proc/pressure/${resource}`) ?? '');
  return {
    ...parseCpuTimes(readText(root, '/proc/stat') ?? ''),
    psiCpuSomeUs: pressure('cpu'),
    psiIoSomeUs: pressure('io'),
    psiMemorySomeUs: pressure('memory'),
    nrThrottled: readThrottledPeriods(root),
    atMs: performance.now(),
  };
}

/** @param usedCpuSeconds CPU that the measurement itself used between them, with the process that watches it. */
export function machineNoise(
  before: MachineCounters,
  after: MachineCounters,
  usedCpuSeconds: number | null,
): MachineNoise {
  /** Counters can step back a little (the kernel corrects idle time); that is no negative rise. */
  const rise = (key: keyof MachineCounters): number | null => {
    const [from, to] = [before[key], after[key]];
    return from === null || to === null ? null : Math.max(0, to - from);
  };
  const elapsedMs = after.atMs - before.atMs;
  const { cpus } = after;
  const total = rise('totalJiffies');
  // Shares of jiffies times CPUs, so that nothing depends on how long a jiffy is.
  const busyShare = share(rise('busyJiffies'), total);
  const isKnown = busyShare !== null && cpus !== null && usedCpuSeconds !== null && elapsedMs > 0;
  return {
    cpus,
    stealShare: share(rise('stealJiffies'), total),
    psiCpuShare: share(rise('psiCpuSomeUs'), elapsedMs * 1000),
    psiIoShare: share(rise('psiIoSomeUs'), elapsedMs * 1000),
    psiMemoryShare: share(rise('psiMemorySomeUs'), elapsedMs * 1000),
    throttled: rise('nrThrottled'),
    otherCpuCores: isKnown ? Math.max(0, busyShare * cpus - (usedCpuSeconds * 1000) / elapsedMs) : null,
  };
}

/**
 * What disturbed a run; nothing for a quiet one.
 *
 * Steal and other load come from outside, so their absolute value counts. Pressure and throttling do not: a pool with more threads
 * than cores makes its own threads wait, and uses up its own quota. They count where they rose against the median of the earlier
 * runs of the SAME kind by more than those differ among themselves (three scaled median absolute deviations).
 */
export function disturbancesOf(noise: MachineNoise, history: readonly MachineNoise[]): Disturbance[] {
  const rose = (key: 'psiCpuShare' | 'psiIoShare' | 'psiMemoryShare' | 'throttled', least: number) => {
    const [value, known] = [noise[key], history.flatMap((earlier) => earlier[key] ?? [])];
    if (value === null || known.length === 0) return false;
    const middle = median(known);
    // 1.4826 makes the median absolute deviation comparable to a standard deviation.
    const spread = 1.4826 * median(known.map((earlier) => Math.abs(earlier - middle)));
    return value - middle > Math.max(least, 3 * spread);
  };
  const loadLimit = Math.max(OTHER_LOAD_LEAST_CORES, OTHER_LOAD_SHARE * (noise.cpus ?? 0));
  const signs: [Disturbance, boolean][] = [
    ['steal', (noise.stealShare ?? 0) > STEAL_LIMIT],
    ['other-load', (noise.otherCpuCores ?? 0) > loadLimit],
    ['psi-cpu', rose('psiCpuShare', PSI_LEAST_RISE)],
    ['psi-io', rose('psiIoShare', PSI_LEAST_RISE)],
    ['psi-memory', rose('psiMemoryShare', PSI_LEAST_RISE)],
    ['throttled', rose('throttled', THROTTLED_LEAST_RISE)],
  ];
  return signs.filter(([, isThere]) => isThere).map(([disturbance]) => disturbance);
}

/**
 * The first line of /proc/stat, proc_stat(5), and the number of CPUs it sums up.
 *
 * Interrupts are in the total but not in the busy time: a run's own disk and loopback traffic causes them, yet they are booked to
 * no process, so they would look like the work of others. `guest` is left out because `user` contains it.
 */
export function parseCpuTimes(
  stat: string,
): Pick<MachineCounters, 'cpus' | 'stealJiffies' | 'busyJiffies' | 'totalJiffies'> {
  const line = /^cpu[ \t]+([\d \t]+)$/m.exec(stat)?.[1];
  const [user, nice, system, idle, iowait = 0, irq = 0, softirq = 0, steal] =
    line?.trim().split(/\s+/).map(Number) ?? [];
  if (user === undefined || nice === undefined || system === undefined || idle === undefined)
    return { cpus: null, stealJiffies: null, busyJiffies: null, totalJiffies: null };
  const busyJiffies = user + nice + system;
  return {
    cpus: stat.match(/^cpu\d+[ \t]/gm)?.length ?? null,
    stealJiffies: steal ?? null,
    busyJiffies,
    totalJiffies: busyJiffies + idle + iowait + irq + softirq + (steal ?? 0),
  };
}

/** The total of the line `some` of a /proc/pressure file (accounting/psi.rst), in microseconds. */
export function parsePressure(text: string): number | null {
  const total = /^some .*\btotal=(\d+)/m.exec(text)?.[1];
  return total === undefined ? null : Number(total);
}

const share = (part: number | null, whole: number | null): number | null =>
  part === null || whole === null || whole <= 0 ? null : Math.min(1, part / whole);

export interface MachineReading {
  readonly counters: MachineCounters;
  readonly cpuSeconds: number;
}

export function readMachine(readCounters = readMachineCounters): MachineReading {
  const { user, system } = process.cpuUsage();
  return { counters: readCounters(), cpuSeconds: (user + system) / 1e6 };
}
