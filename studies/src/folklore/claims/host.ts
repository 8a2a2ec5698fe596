// A claim about what Node knows of its container.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { list } from '@plimsoll/lab';
import { type Claim, cellsOf, NotHere } from '../claim.js';
import type { Lab } from '../lab.js';

interface Limit {
  readonly name: string;
  /** CPUs; `null`: no quota. */
  readonly quota: number | null;
  readonly weight: number;
}

const quotaOf = (quota: number): Limit => ({ name: `a quota of ${quota} CPUs`, quota, weight: 100 });
const FREE: Limit = { name: 'no quota', quota: null, weight: 100 };
/** What Kubernetes makes of `requests: 1, limits: 2`: its 1,024 shares are a weight of 39. */
const WEIGHTED: Limit = { name: 'a quota of 2 CPUs, weight 39', quota: 2, weight: 39 };
const LIMITS: readonly Limit[] = [quotaOf(0.5), quotaOf(1), quotaOf(1.5), WEIGHTED];
const PERIOD_US = 100_000;
/** Laid over what libuv reads, in a mount namespace of its own: the group of the process, and the limits of its groups. */
const SCRIPT =
  'mount --bind "$0/cgroup" /sys/fs/cgroup && mount --bind "$0/of-process" /proc/$$/cgroup && exec "$@"';

/** A command that starts another one where cgroup v2 says so. */
function under(lab: Lab, { quota, weight }: Limit): string[] {
  const folder = lab.folder();
  mkdirSync(join(folder, 'cgroup'));
  const us = quota === null ? 'max' : String(quota * PERIOD_US);
  writeFileSync(join(folder, 'cgroup/cpu.max'), `${us} ${PERIOD_US}\n`);
  writeFileSync(join(folder, 'cgroup/cgroup.controllers'), 'cpu memory pids\n');
  writeFileSync(join(folder, 'cgroup/cpu.weight'), `${weight}\n`);
  writeFileSync(join(folder, 'of-process'), '0::/\n');
  return ['unshare', '--mount', 'sh', '-c', SCRIPT, folder];
}

export const parallelism: Claim = {
  id: 'available-parallelism',
  says: 'os.availableParallelism() respects the limits of a container',
  sources: [
    { title: 'libuv/libuv#4740', url: 'https://github.com/libuv/libuv/issues/4740' },
    { title: 'nodejs/node#59200', url: 'https://github.com/nodejs/node/issues/59200' },
  ],
  how: 'Asks for it where the files of cgroup v2 that libuv reads say so many CPUs. The files are made up and laid over the real ones in a mount namespace; the limit itself does not act.',
  async observe(lab) {
    const [command = '', ...args] = [...under(lab, FREE), 'true'];
    if (spawnSync(command, args).status !== 0)
      throw new NotHere('it needs the right to make a mount namespace');
    return lab.count(
      'os.availableParallelism()',
      [FREE, ...LIMITS].map((limit) => [
        limit.name,
        async (node) =>
          (await lab.run(node, 'parallelism.cjs', { prefix: under(lab, limit) })).said as number,
      ]),
      await lab.nodesAnd('22.12.0'),
    );
  },
  judge(counted) {
    const free = cellsOf(counted, FREE.name);
    // On a single CPU no answer can exceed a quota.
    if (free.some((cell) => Number(cell) < 2))
      return { verdict: 'undecided', because: 'It takes two CPUs to tell.' };
    const wrongAt = (node: number, isWrong: (said: number, quota: number) => boolean): string[] =>
      LIMITS.filter(({ name, quota }) =>
        isWrong(Number(cellsOf(counted, name)[node]), quota ?? Number.POSITIVE_INFINITY),
      ).map(({ name }) => name);
    const all = counted.nodes.map((node, index) => ({
      node,
      above: wrongAt(index, (said, quota) => said > Math.ceil(quota)),
      below: wrongAt(index, (said, quota) => said < Math.floor(quota)),
    }));
    const right = all.filter(({ above, below }) => above.length + below.length === 0);
    const faults = all.flatMap(({ node, above, below }) => [
      ...(above.length > 0 ? [`Node ${node} says more than ${list(above)}.`] : []),
      ...(below.length > 0 ? [`Node ${node} says less than ${list(below)}.`] : []),
    ]);
    return {
      verdict: right.length === all.length ? 'true' : right.length === 0 ? 'false' : 'depends',
      because: [
        right.length > 0 ? `It does on Node ${list(right.map(({ node }) => node))}, in whole CPUs.` : '',
        ...faults,
      ]
        .filter((text) => text !== '')
        .join(' '),
    };
  },
};
