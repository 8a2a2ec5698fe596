/**
 * Everything about the machine that a result must carry to be understood and compared later.
 *
 * Reports are published, so nothing here names a person, a machine or a place: no host name, user name, path, address or
 * search domain. A new field must keep to that: take a count, a kind or a yes/no instead of the text.
 */
import { existsSync } from 'node:fs';
import { availableParallelism, loadavg, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { type CgroupFacts, readCgroup } from './cgroup.js';
import { type CpuFacts, cpuCount, effectiveCpus, readCpu } from './cpu.js';
import { type FilesystemFacts, filesystemOf } from './filesystem.js';
import { redactOptions, splitNodeOptions } from './node-options.js';
import { listNames, readLine, readText, readWhole } from './read.js';
import { type ResolverFacts, readResolver } from './resolver.js';

export interface NodeFacts {
  version: string;
  v8: string;
  libuv: string;
  openssl: string | null;
  zlib: string | null;
  /** Flags, their values left out unless they are numbers; empty without flags. */
  execArgv: string;
  /** NODE_OPTIONS, treated in the same way; `null` when it is not set. */
  nodeOptions: string | null;
  /** The variable as this process inherited it: an empty text is not the same as `null`, it gives ONE thread. */
  uvThreadpoolSize: string | null;
  uvUseIoUring: string | null;
}

export interface OsFacts {
  platform: string;
  arch: string;
  kernel: string;
  libc: 'glibc' | 'musl' | null;
  /** What seems to contain us; `null` means that nothing was seen, which proves nothing. */
  container: 'kubernetes' | 'docker' | 'podman' | 'lxc' | 'other' | null;
  memoryTotalBytes: number;
  /** Load averages over 1, 5 and 15 minutes; `null` on Windows, which has none. */
  load1: number | null;
  load5: number | null;
  load15: number | null;
  /** Whether the kernel gives pressure stall information. */
  psi: boolean;
  /** `always`, `madvise` or `never`. */
  transparentHugepages: string | null;
  onBattery: boolean | null;
  /** The hottest thermal zone, in degrees Celsius. */
  hottestCelsius: number | null;
}

export interface EnvironmentCpu extends CpuFacts {
  /** Cores that this process can really get, a fraction: see effectiveCpus(). */
  effectiveCpus: number;
  cpuCount: number;
  /** What Node itself says, for comparison. */
  availableParallelism: number;
}

export interface LimitFacts extends CgroupFacts {
  /** Soft RLIMIT_NPROC: processes AND threads of this user; root is exempt. `null`: unlimited or unknown. */
  maxUserProcesses: number | null;
}

/** One plain object of two levels, made of strings, numbers, booleans and `null`. */
export interface Environment {
  node: NodeFacts;
  os: OsFacts;
  cpu: EnvironmentCpu;
  limits: LimitFacts;
  filesystem: FilesystemFacts;
  resolver: ResolverFacts;
}

export interface CaptureOptions {
  /** The directory in which the workload's files will lie. */
  directory: string;
  /** By default `process.env`: capture before anything sets UV_THREADPOOL_SIZE in it. */
  env?: NodeJS.ProcessEnv;
  /** Directory that plays the part of `/`; by default `/`. */
  root?: string;
}

/**
 * Captures the environment, synchronously and without the pool. Never throws: what cannot be read is `null`.
 *
 * @example
 * captureEnvironment({ directory: tmpdir() }).cpu.effectiveCpus; // 1.5
 */
export function captureEnvironment({
  directory,
  env = process.env,
  root = '/',
}: CaptureOptions): Environment {
  return {
    node: nodeFacts(env),
    os: osFacts(root, env),
    cpu: {
      ...readCpu(root),
      effectiveCpus: effectiveCpus(root),
      cpuCount: cpuCount(root),
      availableParallelism: availableParallelism(),
    },
    limits: {
      ...readCgroup(root),
      maxUserProcesses: parseMaxProcesses(readText(root, '/proc/self/limits') ?? ''),
    },
    filesystem: filesystemOf(directory, root),
    resolver: readResolver(root),
  };
}

/**
 * The soft limit "Max processes" in /proc/PID/limits.
 *
 * @returns `null` for unlimited or another form
 * @example
 * parseMaxProcesses('Max processes             63432                63432                processes\n'); // 63432
 */
export function parseMaxProcesses(limits: string): number | null {
  const soft = /^Max processes\s+(\d+)\s/m.exec(limits)?.[1];
  return soft === undefined ? null : Number(soft);
}

/**
 * The C library that is mapped into a process: its getaddrinfo does the work of dns.lookup.
 *
 * Read from /proc/self/maps because process.report is slow and may look up names.
 *
 * @example
 * parseLibc('7f00-7f01 r-xp 0 fe:00 1 /usr/lib/x86_64-linux-gnu/libc.so.6\n'); // 'glibc'
 */
export function parseLibc(maps: string): 'glibc' | 'musl' | null {
  if (/\/(ld-musl-|libc\.musl-)[^/]*$/m.test(maps)) return 'musl';
  return /\/libc(\.so\.6|-\d[\d.]*\.so)$/m.test(maps) ? 'glibc' : null;
}

/** The bracketed word of a /sys choice file: `always [madvise] never` gives `madvise`. */
export function parseChoice(text: string): string | null {
  return /\[([a-z]+)\]/.exec(text)?.[1] ?? null;
}

function nodeFacts(env: NodeJS.ProcessEnv): NodeFacts {
  const { node, v8, uv, openssl, zlib } = process.versions;
  return {
    version: node,
    v8,
    libuv: uv,
    openssl: openssl ?? null,
    zlib: zlib ?? null,
    execArgv: redactOptions(process.execArgv),
    nodeOptions: env.NODE_OPTIONS === undefined ? null : redactOptions(splitNodeOptions(env.NODE_OPTIONS)),
    uvThreadpoolSize: shortened(env.UV_THREADPOOL_SIZE),
    uvUseIoUring: shortened(env.UV_USE_IO_URING),
  };
}

/** libuv 1.52 ignores a value of 16 characters and more; what is longer than this is not worth keeping. */
function shortened(value: string | undefined): string | null {
  return value?.slice(0, 32) ?? null;
}

function osFacts(root: string, env: NodeJS.ProcessEnv): OsFacts {
  const [load1 = null, load5 = null, load15 = null] = process.platform === 'win32' ? [] : loadavg();
  return {
    platform: process.platform,
    arch: process.arch,
    kernel: release(),
    libc: parseLibc(readText(root, '/proc/self/maps') ?? ''),
    container: containerHint(root, env),
    memoryTotalBytes: totalmem(),
    load1,
    load5,
    load15,
    psi: readText(root, '/proc/pressure/cpu') !== null,
    transparentHugepages: parseChoice(readText(root, '/sys/kernel/mm/transparent_hugepage/enabled') ?? ''),
    onBattery: onBattery(root),
    hottestCelsius: hottestCelsius(root),
  };
}

function containerHint(root: string, env: NodeJS.ProcessEnv): OsFacts['container'] {
  const cgroup = readText(root, '/proc/self/cgroup') ?? '';
  if (env.KUBERNETES_SERVICE_HOST !== undefined || cgroup.includes('kubepods')) return 'kubernetes';
  if (existsSync(join(root, '/run/.containerenv'))) return 'podman';
  if (existsSync(join(root, '/.dockerenv')) || /\/docker[-/]/.test(cgroup)) return 'docker';
  const systemd = readLine(root, '/run/systemd/container');
  if (systemd?.startsWith('lxc') || /\/lxc[./]/.test(cgroup)) return 'lxc';
  return systemd === null ? null : 'other';
}

function onBattery(root: string): boolean | null {
  const base = '/sys/class/power_supply';
  let answer: boolean | null = null;
  for (const supply of listNames(root, base) ?? []) {
    // A plugged-in charger settles it; batteries may say "Discharging" for a while after.
    if (readLine(root, `${base}/${supply}/online`) === '1') return false;
    // Mice and headsets have batteries as well; theirs say scope "Device".
    if (readLine(root, `${base}/${supply}/scope`) === 'Device') continue;
    const status = readLine(root, `${base}/${supply}/status`);
    if (status !== null) answer = (answer ?? false) || status === 'Discharging';
  }
  return answer;
}

function hottestCelsius(root: string): number | null {
  const zones = (listNames(root, '/sys/class/thermal') ?? []).filter((name) =>
    name.startsWith('thermal_zone'),
  );
  let hottest: number | null = null;
  for (const zone of zones) {
    const milli = readWhole(root, `/sys/class/thermal/${zone}/temp`);
    if (milli !== null) hottest = Math.max(hottest ?? 0, milli / 1000);
  }
  return hottest;
}
