/**
 * The limits that control groups put on this process: v1, v2 and the hybrid of both.
 *
 * Our own reader, because libuv's is not good enough to judge a pool size by: it ignored quotas before 1.49, took the leaf
 * only in 1.49 and 1.50, and has rounded to whole cores since (libuv #4740, #4853, nodejs/node #58428, #59200). Limits
 * nest: the tightest of ALL ancestors holds.
 *
 * Kernel documents: admin-guide/cgroup-v2.rst; scheduler/sched-bwc.rst, cgroup-v1/memory.rst and cgroup-v1/pids.rst.
 */
import {
  type CgroupLocation,
  type CgroupTables,
  cgroupLayout,
  locateController,
  readCgroupTables,
} from './cgroup-location.js';
import { leastKnown, parseWhole, readLine, readText, readWhole } from './read.js';

export interface CgroupFacts {
  layout: 'v1' | 'v2' | 'hybrid' | null;
  /** CPU quota in cores, a fraction as often as not: the least of all ancestors. `null`: none known. */
  cpuQuotaCores: number | null;
  /** v2 `cpu.weight` of the process's own cgroup, 1 to 10,000, by default 100. Relative to its siblings only. */
  cpuWeight: number | null;
  /** v1 `cpu.shares` of the process's own cgroup, by default 1,024. Relative to its siblings only. */
  cpuShares: number | null;
  /** Bytes: the least of all ancestors. `null`: none known. */
  memoryLimitBytes: number | null;
  /** `pids.max` of the level with the least room left (threads count as pids). `null`: none known. */
  pidsMax: number | null;
  /** `pids.current` of that same level. */
  pidsCurrent: number | null;
  /** How many more threads fit at that level; libuv aborts the process when it cannot create one. */
  pidsHeadroom: number | null;
  /** CPUs that the cpuset allows, as the kernel writes them: `0-3,8`. */
  cpuset: string | null;
  /** Periods in which a quota stopped this process's cgroup or an ancestor, summed, since they were created. */
  nrThrottled: number | null;
}

/**
 * Reads every limit that the process's cgroups set. Never throws: what cannot be read is `null`.
 *
 * @param root directory that plays the part of `/`; by default `/`
 * @example
 * const { cpuQuotaCores } = readCgroup(); // 1.5 under `docker run --cpus=1.5`, null without a quota
 */
export function readCgroup(root = '/'): CgroupFacts {
  const tables = readCgroupTables(root);
  const cpu = locateController(tables, 'cpu', root);
  return {
    layout: cgroupLayout(tables),
    cpuQuotaCores: cpu === null ? null : tightestQuota(root, cpu),
    cpuWeight: ownFile(root, cpu, 2, 'cpu.weight'),
    cpuShares: ownFile(root, cpu, 1, 'cpu.shares'),
    memoryLimitBytes: memoryLimit(root, tables),
    ...tightestPids(root, tables),
    cpuset: cpusetOf(root, tables),
    nrThrottled: cpu === null ? null : throttledPeriods(root, cpu),
  };
}

/**
 * Only the quota in cores, for those who need nothing else. `null`: none known.
 *
 * @example
 * readCpuQuota(); // 0.5
 */
export function readCpuQuota(root = '/'): number | null {
  const cpu = locateController(readCgroupTables(root), 'cpu', root);
  return cpu === null ? null : tightestQuota(root, cpu);
}

/**
 * Only the sum of throttled periods: it is read before and after every run. `null`: unknown.
 *
 * @example
 * readThrottledPeriods(); // 17
 */
export function readThrottledPeriods(root = '/'): number | null {
  const cpu = locateController(readCgroupTables(root), 'cpu', root);
  return cpu === null ? null : throttledPeriods(root, cpu);
}

/**
 * v2 `cpu.max`: "QUOTA PERIOD" in microseconds, or "max PERIOD". The period is 100,000 when it is left out.
 *
 * @returns cores; `null` for no quota or another form
 * @example
 * parseCpuMax('150000 100000\n'); // 1.5
 * parseCpuMax('max 100000\n');    // null
 */
export function parseCpuMax(text: string): number | null {
  const [quota, period = '100000'] = text.trim().split(/\s+/);
  return cores(parseWhole(quota), parseWhole(period));
}

/**
 * A limit that may be absent: v2 writes "max", v1 a huge number (2^63 rounded down to a page), or -1.
 *
 * @returns `null` for no limit; every number past 2^53, which is 8 PiB, counts as none
 * @example
 * parseLimit('536870912\n');         // 536870912
 * parseLimit('9223372036854771712'); // null
 */
export function parseLimit(text: string | null): number | null {
  const value = parseWhole(text);
  return value === null || value > Number.MAX_SAFE_INTEGER ? null : value;
}

/**
 * One value of a flat keyed file such as cpu.stat or memory.stat.
 *
 * @example
 * parseKeyed('nr_periods 9\nnr_throttled 4\n', 'nr_throttled'); // 4
 */
export function parseKeyed(text: string | null, key: string): number | null {
  for (const line of text?.split('\n') ?? []) {
    const [name, value] = line.trim().split(/\s+/);
    if (name === key) return parseWhole(value);
  }
  return null;
}

function cores(quotaUs: number | null, periodUs: number | null): number | null {
  return quotaUs === null || periodUs === null || quotaUs === 0 || periodUs === 0 ? null : quotaUs / periodUs;
}

function tightestQuota(root: string, cpu: CgroupLocation): number | null {
  return leastKnown(cpu.directories.map((dir) => quotaOf(root, cpu.version, dir)));
}

function quotaOf(root: string, version: 1 | 2, directory: string): number | null {
  if (version === 2) return parseCpuMax(readText(root, `${directory}/cpu.max`) ?? '');
  // v1 writes -1 for "no quota", which is no whole number and so null.
  return cores(
    readWhole(root, `${directory}/cpu.cfs_quota_us`),
    readWhole(root, `${directory}/cpu.cfs_period_us`),
  );
}

/** A number in the process's own cgroup, when the controller is of that version. */
function ownFile(root: string, location: CgroupLocation | null, version: 1 | 2, name: string): number | null {
  return location?.version === version ? readWhole(root, `${location.directories[0]}/${name}`) : null;
}

function memoryLimit(root: string, tables: CgroupTables): number | null {
  const memory = locateController(tables, 'memory', root);
  if (memory === null) return null;
  const name = memory.version === 2 ? 'memory.max' : 'memory.limit_in_bytes';
  const limits = memory.directories.map((dir) => parseLimit(readLine(root, `${dir}/${name}`)));
  if (memory.version === 1) {
    // v1 tells of ancestors that are not mounted here, too.
    const stat = parseKeyed(
      readText(root, `${memory.directories[0]}/memory.stat`),
      'hierarchical_memory_limit',
    );
    limits.push(stat === null ? null : parseLimit(String(stat)));
  }
  return leastKnown(limits);
}

function tightestPids(
  root: string,
  tables: CgroupTables,
): Pick<CgroupFacts, 'pidsMax' | 'pidsCurrent' | 'pidsHeadroom'> {
  let tightest = { pidsMax: null, pidsCurrent: null, pidsHeadroom: null } as ReturnType<typeof tightestPids>;
  for (const directory of locateController(tables, 'pids', root)?.directories ?? []) {
    const pidsMax = parseLimit(readLine(root, `${directory}/pids.max`));
    if (pidsMax === null) continue;
    const pidsCurrent = readWhole(root, `${directory}/pids.current`);
    // Without pids.current the whole limit is the most that can be left.
    const pidsHeadroom = Math.max(0, pidsMax - (pidsCurrent ?? 0));
    if (tightest.pidsHeadroom === null || pidsHeadroom < tightest.pidsHeadroom) {
      tightest = { pidsMax, pidsCurrent, pidsHeadroom };
    }
  }
  return tightest;
}

/** The nearest level that has the file: v2 shows it only where the controller is enabled. */
function cpusetOf(root: string, tables: CgroupTables): string | null {
  const location = locateController(tables, 'cpuset', root);
  const names =
    location?.version === 1
      ? ['cpuset.effective_cpus', 'cpuset.cpus']
      : ['cpuset.cpus.effective', 'cpuset.cpus'];
  for (const directory of location?.directories ?? []) {
    for (const name of names) {
      const value = readLine(root, `${directory}/${name}`);
      if (value !== null) return value;
    }
  }
  return null;
}

/** A parent's quota (a Kubernetes pod, a systemd slice) stops its children without raising THEIR counter: sum them. */
function throttledPeriods(root: string, cpu: CgroupLocation): number | null {
  let sum: number | null = null;
  for (const directory of cpu.directories) {
    const periods = parseKeyed(readText(root, `${directory}/cpu.stat`), 'nr_throttled');
    if (periods !== null) sum = (sum ?? 0) + periods;
  }
  return sum;
}
