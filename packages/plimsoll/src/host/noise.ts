/** What the machine did to a run. It follows from counters only: a run must not be repeated because its figure was odd. */
import { readText } from './read.js';

/** Counters of the whole machine since boot. `null`: unknown. */
export interface MachineCounters {
  atMs: number;
  /** Logical CPUs that the jiffies below are summed over. */
  cpus: number | null;
  stealJiffies: number | null;
  /** Time in processes and kernel threads (user, nice, system). */
  busyJiffies: number | null;
  totalJiffies: number | null;
  /** Time in which some task waited for a disk (pressure stall information). */
  psiIoSomeUs: number | null;
}

/** What happened between two readings. Shares are fractions from 0 to 1. `null`: unknown. */
export interface MachineNoise {
  cpus: number | null;
  stealShare: number | null;
  psiIoShare: number | null;
  otherCpuCores: number | null;
}

export type Disturbance = 'steal' | 'other-load';

const STEAL_LIMIT = 0.01;
/**
 * Further processes may use 0.15 core, and on more than three cores 5 % of the machine. Not less: the kernel's work for a run is
 * booked to further processes too, up to 0.12 core with a process that only writes files, and a kernel that samples at each tick
 * knows two half-busy cores to about 0.045 core. Not more: 0.15 core is already 7.5 % of two cores that a workload fills.
 */
const OTHER_LOAD_LEAST_CORES = 0.15;
const OTHER_LOAD_SHARE = 0.05;

/** Never throws: what this machine does not have is `null`. */
export function readMachineCounters(root = '/'): MachineCounters {
  return {
    ...parseCpuTimes(readText(root, '/proc/stat') ?? ''),
    psiIoSomeUs: readPressure('io', root),
    atMs: performance.now(),
  };
}

/** @param usedCpuSeconds CPU time of the measurement, and of the process that watches it, between the readings. */
export function machineNoise(
  before: MachineCounters,
  after: MachineCounters,
  usedCpuSeconds: number | null,
): MachineNoise {
  const rise = (key: keyof MachineCounters): number | null => riseOf(before[key], after[key]);
  const elapsedMs = after.atMs - before.atMs;
  const { cpus } = after;
  const total = rise('totalJiffies');
  // Shares of jiffies times CPUs, so that nothing depends on how long a jiffy is.
  const busyShare = share(rise('busyJiffies'), total);
  const isKnown = busyShare !== null && cpus !== null && usedCpuSeconds !== null && elapsedMs > 0;
  return {
    cpus,
    stealShare: share(rise('stealJiffies'), total),
    psiIoShare: share(rise('psiIoSomeUs'), elapsedMs * 1000),
    otherCpuCores: isKnown ? Math.max(0, busyShare * cpus - (usedCpuSeconds * 1000) / elapsedMs) : null,
  };
}

/** Counters can step back a little, since the kernel corrects idle time. */
export const riseOf = (from: number | null, to: number | null): number | null =>
  from === null || to === null ? null : Math.max(0, to - from);

export function disturbancesOf({ cpus, stealShare, otherCpuCores }: MachineNoise): Disturbance[] {
  const loadLimit = Math.max(OTHER_LOAD_LEAST_CORES, OTHER_LOAD_SHARE * (cpus ?? 0));
  return [
    ...((stealShare ?? 0) > STEAL_LIMIT ? ['steal' as const] : []),
    ...((otherCpuCores ?? 0) > loadLimit ? ['other-load' as const] : []),
  ];
}

/**
 * The first line of /proc/stat, proc_stat(5), and the number of CPUs that it sums up. Interrupts are in the total but not in the
 * busy time: the disk and loopback traffic of a run causes them, yet they are booked to no process. `user` contains `guest`.
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

export const readPressure = (resource: 'cpu' | 'io' | 'memory', root: string): number | null =>
  parsePressure(readText(root, `/proc/pressure/${resource}`) ?? '');

/** The total of the line `some` of a /proc/pressure file (accounting/psi.rst), in microseconds. */
export function parsePressure(text: string): number | null {
  const total = /^some .*\btotal=(\d+)/m.exec(text)?.[1];
  return total === undefined ? null : Number(total);
}

export const share = (part: number | null, whole: number | null): number | null =>
  part === null || whole === null || whole <= 0 ? null : Math.min(1, part / whole);

export interface MachineReading<Counters = MachineCounters> {
  readonly counters: Counters;
  readonly cpuSeconds: number;
}

export function readMachine<Counters>(readCounters: () => Counters): MachineReading<Counters> {
  const { user, system } = process.cpuUsage();
  return { counters: readCounters(), cpuSeconds: (user + system) / 1e6 };
}
