import type { Environment } from '../host/environment.js';

/** The cores that the simulated threads share, and what using them costs. */
export interface Machine {
  /** Cores that threads can run on at once, a whole number of at least 1. */
  readonly cores: number;
  /** CPU quota in cores; `null` for none. */
  readonly quota: number | null;
  /** What other threads of the processes use, in cores: V8's own, Workers. */
  readonly otherCores: number;
  /** How long a thread runs while others wait for its core, in milliseconds. */
  readonly sliceMs: number;
  /** How long a thread that got a core keeps it though another one wakes up, in milliseconds. */
  readonly protectMs: number;
  /** From a signal to a sleeping thread until it runs on a free core, in milliseconds. */
  readonly wakeMs: number;
}

/**
 * The slice that Linux asks for a thread by default: 0.7 ms times 1 + log2 of the CPUs, of which at most 8 count
 * (kernel/sched/fair.c: `sysctl_sched_base_slice`, `get_update_sysctl_factor`).
 *
 * @example
 * baseSliceMs(2); // 1.4
 */
export const baseSliceMs = (cpus: number): number =>
  0.7 * (1 + Math.floor(Math.log2(Math.min(8, Math.max(1, cpus)))));

/** Most kernels tick 250 times a second, and a slice ends at a tick. */
const USUAL_SLICE_MS = 4;

/**
 * The machine that an environment describes.
 *
 * @param sliceMs measured on it; by default what most kernels come to
 */
export function machineOf(
  { cpu, limits }: Pick<Environment, 'cpu' | 'limits'>,
  wakeMs: number,
  otherCores: number,
  sliceMs: number = USUAL_SLICE_MS,
): Machine {
  const cores = Math.max(1, cpu.affinityCores ?? cpu.logicalCores ?? cpu.cpuCount);
  const quota = limits.cpuQuotaCores;
  return {
    cores,
    quota: quota !== null && quota < cores ? quota : null,
    otherCores: Math.min(otherCores, cores - 0.1),
    sliceMs,
    protectMs: Math.min(sliceMs, baseSliceMs(cores)),
    wakeMs,
  };
}
