/**
 * The limits that control groups put on this process: v1, v2 and the hybrid of both. What cannot be read is `null`.
 *
 * Our own reader, because libuv's is not good enough to judge a pool size by: it ignored quotas before 1.49, took the leaf
 * only in 1.49 and 1.50, and has rounded to whole cores since (libuv #4740, #4853, nodejs/node #58428, #59200). Limits
 * nest: the tightest of ALL ancestors holds.
 *
 * Kernel documents: admin-guide/cgroup-v2.rst; scheduler/sched-bwc.rst and cgroup-v1/pids.rst.
 */
import { locateController } from './cgroup-location.js';
import { leastKnown, parseWhole, readLine, readText, readWhole } from './read.js';

export interface CgroupFacts {
  /** CPU quota in cores, a fraction as often as not. `null`: none known. */
  cpuQuotaCores: number | null;
  /** How many more threads fit (they count as pids); libuv aborts the process when it cannot create one. `null`: no limit. */
  pidsHeadroom: number | null;
}

export const readCgroup = (root = '/'): CgroupFacts => ({
  cpuQuotaCores: readCpuQuota(root),
  pidsHeadroom: pidsHeadroom(root),
});

export function readCpuQuota(root = '/'): number | null {
  const { version, directories = [] } = locateController('cpu', root) ?? {};
  const quotaOf = (directory: string): number | null =>
    version === 2
      ? parseCpuMax(readText(root, `${directory}/cpu.max`) ?? '')
      : // v1 writes -1 for "no quota", which is no whole number and so null.
        cores(
          readWhole(root, `${directory}/cpu.cfs_quota_us`),
          readWhole(root, `${directory}/cpu.cfs_period_us`),
        );
  return leastKnown(directories.map(quotaOf));
}

/** v2 `cpu.max` in cores: "QUOTA PERIOD" in microseconds, or "max PERIOD". The period is 100,000 when it is left out. */
export function parseCpuMax(text: string): number | null {
  const [quota, period = '100000'] = text.trim().split(/\s+/);
  return cores(parseWhole(quota), parseWhole(period));
}

const cores = (quotaUs: number | null, periodUs: number | null): number | null =>
  quotaUs === null || periodUs === null || quotaUs === 0 || periodUs === 0 ? null : quotaUs / periodUs;

/** A limit that may be absent: v2 writes "max", v1 -1 or a huge number; every number past 2^53 counts as none. */
export function parseLimit(text: string | null): number | null {
  const value = parseWhole(text);
  return value === null || value > Number.MAX_SAFE_INTEGER ? null : value;
}

const pidsHeadroom = (root: string): number | null =>
  leastKnown(
    (locateController('pids', root)?.directories ?? []).map((directory) => {
      const most = parseLimit(readLine(root, `${directory}/pids.max`));
      // Without pids.current the whole limit is the most that can be left.
      return most === null ? null : Math.max(0, most - (readWhole(root, `${directory}/pids.current`) ?? 0));
    }),
  );
