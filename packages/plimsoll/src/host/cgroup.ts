/**
 * The limits that control groups put on this process: v1, v2 and the hybrid of both.
 *
 * Our own reader, because libuv's is not good enough to judge a pool size by: it ignored quotas before 1.49, took the leaf
 * only in 1.49 and 1.50, and has rounded to whole cores since (libuv #4740, #4853, nodejs/node #58428, #59200). Limits
 * nest: the tightest of ALL ancestors holds.
 *
 * Kernel documents: admin-guide/cgroup-v2.rst; scheduler/sched-bwc.rst, cgroup-v1/memory.rst and cgroup-v1/pids.rst.
 */
import { type CgroupLocation, locateController, readCgroupTables } from './cgroup-location.js';
import { leastKnown, parseWhole, readLine, readText, readWhole } from './read.js';

export interface CgroupFacts {
  /** CPU quota in cores, a fraction as often as not: the least of all ancestors. `null`: none known. */
  cpuQuotaCores: number | null;
  /** How many more threads fit (they count as pids); libuv aborts the process when it cannot create one. `null`: no limit. */
  pidsHeadroom: number | null;
}

/**
 * Reads the limits that the process's cgroups set. Never throws: what cannot be read is `null`.
 *
 * @param root directory that plays the part of `/`; by default `/`
 * @example
 * const { cpuQuotaCores } = readCgroup(); // 1.5 under `docker run --cpus=1.5`, null without a quota
 */
export function readCgroup(root = '/'): CgroupFacts {
  return { cpuQuotaCores: readCpuQuota(root), pidsHeadroom: pidsHeadroom(root) };
}

const directoriesOf = (controller: 'cpu' | 'pids', root: string): readonly string[] =>
  locateController(readCgroupTables(root), controller, root)?.directories ?? [];

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
 * Periods in which a quota stopped this process's cgroup or an ancestor, summed, since they were created. `null`: unknown.
 *
 * A parent's quota (a Kubernetes pod, a systemd slice) stops its children without raising THEIR counter.
 *
 * @example
 * readThrottledPeriods(); // 17
 */
export function readThrottledPeriods(root = '/'): number | null {
  const periods = directoriesOf('cpu', root).flatMap(
    (directory) => parseKeyed(readText(root, `${directory}/cpu.stat`), 'nr_throttled') ?? [],
  );
  return periods.length === 0 ? null : periods.reduce((sum, count) => sum + count, 0);
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

function pidsHeadroom(root: string): number | null {
  return leastKnown(
    directoriesOf('pids', root).map((directory) => {
      const most = parseLimit(readLine(root, `${directory}/pids.max`));
      // Without pids.current the whole limit is the most that can be left.
      return most === null ? null : Math.max(0, most - (readWhole(root, `${directory}/pids.current`) ?? 0));
    }),
  );
}
