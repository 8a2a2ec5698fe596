import { cpus } from 'node:os';
import { readCpuQuota } from './cgroup.js';
import { leastKnown, readText } from './read.js';

export interface CpuFacts {
  model: string | null;
  /** Whether the CPU reports a hypervisor (x86 only), so that steal is possible. */
  hypervisor: boolean | null;
}

/** arm64 has neither "model name" nor "flags". */
export function parseCpuinfo(text: string): CpuFacts {
  const field = (name: string) =>
    new RegExp(`^${name}[ \\t]*:[ \\t]*(.*)$`, 'm').exec(text)?.[1]?.trim() || null;
  const flags = field('flags')?.split(/\s+/);
  return { model: field('model name'), hypervisor: flags?.includes('hypervisor') ?? null };
}

export function readCpu(root = '/'): CpuFacts {
  const { model, hypervisor } = parseCpuinfo(readText(root, '/proc/cpuinfo') ?? '');
  const fromOs = cpus()[0]?.model.trim();
  return { model: model ?? (fromOs === 'unknown' ? null : fromOs || null), hypervisor };
}

/** Cores that this process can get, by affinity (else all) and quota. The effect of its CPU weight depends on the neighbours. */
export function effectiveCpus(root = '/'): number {
  const allowed = countAllowedCpus(readText(root, '/proc/self/status') ?? '');
  return leastKnown([allowed ?? (cpus().length || 1), readCpuQuota(root)]) ?? 1;
}

/**
 * How many threads can run at once: {@link effectiveCpus} rounded up, since under a quota of 1.5 cores two threads do run at once
 * until the period's budget is spent.
 *
 * `os.availableParallelism()` is wrong under a quota: Node 20 and 22.0-22.11 ignore it; 22.12-22.16 and 24.0-24.1 multiply the
 * leaf's quota by cpu.weight/100, often 1 in Kubernetes (libuv #4740, node #58428); 22.17-22.23 and 24.2-24.15 return every core
 * of the host below 1 core (node #59200); 24.16+ and 26 take the outermost of nested limits (libuv #4853).
 */
export const cpuCount = (root = '/'): number => Math.max(1, Math.ceil(effectiveCpus(root)));

/** The CPUs in the affinity mask of /proc/PID/status: hexadecimal words, separated by commas. */
export function countAllowedCpus(status: string): number | null {
  const mask = /^Cpus_allowed:[ \t]*([0-9a-f,]+)[ \t]*$/im.exec(status)?.[1]?.replaceAll(',', '') ?? '';
  const bits = [...mask].map((digit) => Number.parseInt(digit, 16).toString(2).replaceAll('0', ''));
  return bits.join('').length || null;
}
