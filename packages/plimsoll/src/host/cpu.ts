/** What CPUs there are, and how many of them this process may really use. */
import { cpus } from 'node:os';
import { readCpuQuota } from './cgroup.js';
import { leastKnown, listNames, readLine, readText } from './read.js';

export interface CpuFacts {
  model: string | null;
  /** Logical CPUs that are online. */
  logicalCores: number | null;
  /** CPUs in the affinity mask, which already respects the cpuset. */
  affinityCores: number | null;
  /** Whether two logical CPUs share a core now. */
  smt: boolean | null;
  /** Frequency governor; several joined by `+` when CPUs differ. `null` in most virtual machines. */
  governor: string | null;
  turbo: boolean | null;
  /** Whether the CPU says that a hypervisor is present (x86 only): steal is then possible. */
  hypervisor: boolean | null;
  numaNodes: number | null;
}

/**
 * Reads the facts of the CPUs. Never throws: what cannot be read is `null`.
 *
 * @param root directory that plays the part of `/`; by default `/`
 * @example
 * readCpu().governor; // 'performance', or null without frequency scaling
 */
export function readCpu(root = '/'): CpuFacts {
  const info = parseCpuinfo(readText(root, '/proc/cpuinfo') ?? '');
  return {
    model: info.model ?? modelFromOs(),
    logicalCores: info.processors ?? (cpus().length || null),
    affinityCores: affinityCores(root),
    smt: smt(root) ?? info.smt,
    governor: governor(root),
    turbo: turbo(root),
    hypervisor: info.hypervisor,
    numaNodes: countCpuList(readLine(root, '/sys/devices/system/node/online') ?? ''),
  };
}

/**
 * How many cores' worth of CPU time this process can get, as a fraction: min(affinity, quota).
 *
 * A CPU weight is not in it: what a weight gives depends on what the neighbours want at the moment.
 *
 * @returns cores, > 0; the number of logical CPUs where affinity is unknown (macOS, Windows), 1 when nothing is known
 * @example
 * effectiveCpus(); // 1.5 under a quota of 1.5 cores on a 64-core host
 */
export function effectiveCpus(root = '/'): number {
  return leastKnown([affinityCores(root) ?? (cpus().length || 1), readCpuQuota(root)]) ?? 1;
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
 *
 * @example
 * cpuCount(); // 2 under a quota of 1.5 cores
 */
export function cpuCount(root = '/'): number {
  return Math.max(1, Math.ceil(effectiveCpus(root)));
}

/** What {@link parseCpuinfo} finds. */
export interface Cpuinfo {
  model: string | null;
  processors: number | null;
  hypervisor: boolean | null;
  smt: boolean | null;
}

/**
 * Parses /proc/cpuinfo. Its fields differ by architecture: arm64 has neither "model name" nor "flags".
 *
 * @example
 * parseCpuinfo('processor\t: 0\nflags\t: fpu hypervisor\n').hypervisor; // true
 */
export function parseCpuinfo(text: string): Cpuinfo {
  const field = (name: string) =>
    new RegExp(`^${name}[ \\t]*:[ \\t]*(.*)$`, 'm').exec(text)?.[1]?.trim() || null;
  const flags = field('flags');
  const siblings = Number(field('siblings') ?? Number.NaN);
  const cores = Number(field('cpu cores') ?? Number.NaN);
  return {
    model: field('model name'),
    processors: text.match(/^processor[ \t]*:/gm)?.length ?? null,
    hypervisor: flags === null ? null : flags.split(/\s+/).includes('hypervisor'),
    smt: siblings > 0 && cores > 0 ? siblings > cores : null,
  };
}

/**
 * Counts the CPUs in a list as the kernel writes it.
 *
 * @returns `null` for another form
 * @example
 * countCpuList('0-3,8'); // 5
 */
export function countCpuList(text: string): number | null {
  let count = 0;
  for (const range of text.trim().split(',')) {
    const match = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(range);
    if (match === null) return null;
    const first = Number(match[1]);
    const last = Number(match[2] ?? match[1]);
    if (last < first) return null;
    count += last - first + 1;
  }
  return count;
}

/**
 * Counts the CPUs in the affinity mask of /proc/PID/status: hexadecimal words, separated by commas.
 *
 * @returns `null` when the line is missing or empty of CPUs
 * @example
 * countAllowedCpus('Cpus_allowed:\tff,0000000f\n'); // 12
 */
export function countAllowedCpus(status: string): number | null {
  const mask = /^Cpus_allowed:[ \t]*([0-9a-f,]+)[ \t]*$/im.exec(status)?.[1];
  let count = 0;
  for (const digit of mask?.replaceAll(',', '') ?? '') {
    for (let bits = Number.parseInt(digit, 16); bits > 0; bits >>= 1) count += bits & 1;
  }
  return count || null;
}

function affinityCores(root: string): number | null {
  return countAllowedCpus(readText(root, '/proc/self/status') ?? '');
}

function modelFromOs(): string | null {
  const model = cpus()[0]?.model.trim();
  return model === undefined || model === '' || model === 'unknown' ? null : model;
}

function smt(root: string): boolean | null {
  return flag(readLine(root, '/sys/devices/system/cpu/smt/active'));
}

function governor(root: string): string | null {
  const policies = listNames(root, '/sys/devices/system/cpu/cpufreq') ?? [];
  const governors = new Set<string>();
  for (const policy of policies.filter((name) => name.startsWith('policy'))) {
    const value = readLine(root, `/sys/devices/system/cpu/cpufreq/${policy}/scaling_governor`);
    if (value !== null) governors.add(value);
  }
  return [...governors].sort().join('+') || null;
}

function turbo(root: string): boolean | null {
  const noTurbo = flag(readLine(root, '/sys/devices/system/cpu/intel_pstate/no_turbo'));
  return noTurbo === null ? flag(readLine(root, '/sys/devices/system/cpu/cpufreq/boost')) : !noTurbo;
}

function flag(line: string | null): boolean | null {
  return line === '1' ? true : line === '0' ? false : null;
}
