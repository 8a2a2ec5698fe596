/**
 * What the machine did to a run, for experiments that measure one run beside earlier ones of its kind: beside what comes from
 * outside, pressure and throttling, which a run makes by itself as well.
 */
import { controllerDirectories } from '../../packages/plimsoll/dist/host/cgroup.js';
import * as host from '../../packages/plimsoll/dist/host/noise.js';
import { parseWhole, readText } from '../../packages/plimsoll/dist/host/read.js';
import { median } from '../../packages/plimsoll/dist/stats/quantile.js';

export interface MachineCounters extends host.MachineCounters {
  psiCpuSomeUs: number | null;
  psiMemorySomeUs: number | null;
  /** Periods in which a CPU quota stopped the cgroup of this process, or one above it. */
  nrThrottled: number | null;
}

export interface MachineNoise extends host.MachineNoise {
  psiCpuShare: number | null;
  psiMemoryShare: number | null;
  throttled: number | null;
}

export type MachineReading = host.MachineReading<MachineCounters>;

/** A rise of less than 5 points of the elapsed time is no rise, however steady the earlier runs were. */
const PSI_LEAST_RISE = 0.05;
/** A run may catch one period (100 ms) more than another only because of where it began. */
const THROTTLED_LEAST_RISE = 1;

export const readMachineCounters = (root = '/'): MachineCounters => ({
  ...host.readMachineCounters(root),
  psiCpuSomeUs: host.readPressure('cpu', root),
  psiMemorySomeUs: host.readPressure('memory', root),
  nrThrottled: throttledPeriods(root),
});

export const readMachine = (readCounters = readMachineCounters): MachineReading =>
  host.readMachine(readCounters);

/** A parent's quota (a Kubernetes pod, a systemd slice) stops its children without raising THEIR counter: so all are summed. */
export function throttledPeriods(root: string): number | null {
  const periods = controllerDirectories('cpu', root).flatMap((directory) => {
    const stat = readText(root, `${directory}/cpu.stat`) ?? '';
    return parseWhole(/^nr_throttled (\d+)$/m.exec(stat)?.[1]) ?? [];
  });
  return periods.length === 0 ? null : periods.reduce((total, one) => total + one, 0);
}

/** @param usedCpuSeconds CPU that the run itself used between the readings, with the process that watches it. */
export function machineNoise(
  before: MachineCounters,
  after: MachineCounters,
  usedCpuSeconds: number | null,
): MachineNoise {
  const elapsedUs = (after.atMs - before.atMs) * 1000;
  return {
    ...host.machineNoise(before, after, usedCpuSeconds),
    psiCpuShare: host.share(host.riseOf(before.psiCpuSomeUs, after.psiCpuSomeUs), elapsedUs),
    psiMemoryShare: host.share(host.riseOf(before.psiMemorySomeUs, after.psiMemorySomeUs), elapsedUs),
    throttled: host.riseOf(before.nrThrottled, after.nrThrottled),
  };
}

/**
 * Steal and other load come from outside, so their absolute value counts. Pressure and throttling do not: a pool with more threads
 * than cores makes its own threads wait, and uses up its own quota. They count where they rose against the median of the earlier
 * runs of the SAME kind by more than those differ among themselves (three scaled median absolute deviations).
 */
export function disturbancesOf(noise: MachineNoise, history: readonly MachineNoise[]): string[] {
  const rose = (key: 'psiCpuShare' | 'psiIoShare' | 'psiMemoryShare' | 'throttled', least: number) => {
    const [value, known] = [noise[key], history.flatMap((earlier) => earlier[key] ?? [])];
    if (value === null || known.length === 0) return false;
    const middle = median(known);
    // 1.4826 makes the median absolute deviation comparable to a standard deviation.
    const spread = 1.4826 * median(known.map((earlier) => Math.abs(earlier - middle)));
    return value - middle > Math.max(least, 3 * spread);
  };
  const signs: [string, boolean][] = [
    ['psi-cpu', rose('psiCpuShare', PSI_LEAST_RISE)],
    ['psi-io', rose('psiIoShare', PSI_LEAST_RISE)],
    ['psi-memory', rose('psiMemoryShare', PSI_LEAST_RISE)],
    ['throttled', rose('throttled', THROTTLED_LEAST_RISE)],
  ];
  return [
    ...host.disturbancesOf(noise),
    ...signs.filter(([, isThere]) => isThere).map(([disturbance]) => disturbance),
  ];
}
