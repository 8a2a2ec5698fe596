import { cpus } from 'node:os';
import { readCpuQuota } from './cgroup.js';
import { leastKnown, readText } from './read.js';

export interface CpuFacts {
  model: string | null;
  /** Whether the CPU says that a hypervisor is present (x86 only): steal is then possible. */
  hypervisor: boolean | null;
}

/** Fields of /proc/cpuinfo differ by architecture: arm64 has neither "model name" nor "flags". */
export function parseCpuinfo(text: string): CpuFacts {
  const field = (name: string) =>
    new RegExp(`^${name}[ \\t]*:[ \\t]*(.*)$`, 'm').exec(text)?.[1]?.trim() || null;
  const flags = field('flags');
  return {
    model: field('model name'),
    hypervisor: flags === null ? null : flags.split(/\s+/).includes('hypervisor'),
  };
}

export function readCpu(root = '/'): CpuFacts {
  const { model, hypervisor } = parseCpuinfo(readText(root, '/proc/cpuinfo') ?? '');
  const fromOs = cpus()[0]?.model.trim();
  return { model: model ?? (fromOs === 'unknown' ? null : fromOs || null), hypervisor };
}

/**
 * How many cores' worth of CPU time this process can get, a fraction > 0: min(affinity, quota). No CPU weight: what that gives
 * depends on what the neighbours want at the moment. Where affinity is unknown (macOS, Windows) all logical CPUs count.
 */
export function effectiveCpus(root = '/'): number {
  const allowed = countAllowedCpus(readText(root, '/proc/self/status') ?? '');
  return leastKnown([allowed ?? (cpus().length || 1), readCpuQuota(root)]) ?? 1;
}

/**
 * How many threads can run at once: {@link effectiveCpus} rounded up, at least 1.
 *
 * Not `os.availableParallelism()`, which is wrong in common containers:
 *
 * | Node                       | under a CPU quota                                                            |
 * |----------------------------|------------------------------------------------------------------------------|
 * | 20.x, 22.0-22.11           | ignores it                                                                   |
 * | 22.12-22.16, 24.0-24.1     | leaf quota x cpu.weight/100: often 1 in Kubernetes (libuv #4740, node #58428) |
 * | 22.17-22.23, 24.2-24.15    | below 1 core -> every core of the host (node #59200); 1.25 -> 1              |
 * | 24.16+, 26                 | below 1 core -> 1 (libuv #4853); of nested limits the outermost wins         |
 *
 * Rounded up, not down: under a quota of 1.5 cores two threads do run at once, until the period's budget is spent.
 */
export function cpuCount(root = '/'): number {
  return Math.max(1, Math.ceil(effectiveCpus(root)));
}

/** The CPUs in the affinity mask of /proc/PID/status: hexadecimal words, separated by commas. */
export function countAllowedCpus(status: string): number | null {
  const mask = /^Cpus_allowed:[ \t]*([0-9a-f,]+)[ \t]*$/im.exec(status)?.[1]?.replaceAll(',', '') ?? '';
  const bits = [...mask].map((digit) => Number.parseInt(digit, 16).toString(2).replaceAll('0', ''));
  return bits.join('').length || null;
}
