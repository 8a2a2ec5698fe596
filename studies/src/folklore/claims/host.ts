// A claim about what Node knows of its container.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { list } from 'plimsoll/lab';
import { type Claim, cellsOf, NotHere } from '../claim.js';
import type { Lab } from '../lab.js';

const QUOTAS = ['max', '0.5', '1', '1.5'] as const;
const PERIOD_US = 100_000;
/** Laid over what libuv reads, in a mount namespace of its own: the group of the process, and the limits of its groups. */
const SCRIPT =
  'mount --bind "$0/cgroup" /sys/fs/cgroup && mount --bind "$0/of-process" /proc/$$/cgroup && exec "$@"';

/** A command that starts another one where cgroup v2 says that it may use so many CPUs. */
function underQuota(lab: Lab, quota: string): string[] {
  const folder = lab.folder();
  mkdirSync(join(folder, 'cgroup'));
  const us = quota === 'max' ? 'max' : String(Number(quota) * PERIOD_US);
  writeFileSync(join(folder, 'cgroup/cpu.max'), `${us} ${PERIOD_US}\n`);
  writeFileSync(join(folder, 'cgroup/cgroup.controllers'), 'cpu memory pids\n');
  writeFileSync(join(folder, 'cgroup/cpu.weight'), '100\n');
  writeFileSync(join(folder, 'of-process'), '0::/\n');
  return ['unshare', '--mount', 'sh', '-c', SCRIPT, folder];
}

const nameOf = (quota: string): string => (quota === 'max' ? 'no quota' : `quota of ${quota} CPUs`);

export const parallelism: Claim = {
  id: 'available-parallelism',
  says: 'os.availableParallelism() respects the limits of a container',
  sources: [
    { title: 'libuv/libuv#4740', url: 'https://github.com/libuv/libuv/issues/4740' },
    { title: 'nodejs/node#59200', url: 'https://github.com/nodejs/node/issues/59200' },
  ],
  how: 'Asks for it where the files of cgroup v2 that libuv reads say so many CPUs. The files are made up and laid over the real ones in a mount namespace; the limit itself does not act.',
  async observe(lab) {
    const [command = '', ...args] = [...underQuota(lab, 'max'), 'true'];
    if (spawnSync(command, args).status !== 0)
      throw new NotHere('it needs the right to make a mount namespace');
    return lab.count(
      'os.availableParallelism()',
      QUOTAS.map((quota) => [
        nameOf(quota),
        async (node) =>
          (await lab.run(node, 'parallelism.cjs', { prefix: underQuota(lab, quota) })).said as number,
      ]),
      await lab.nodesAnd('22.12.0'),
    );
  },
  judge(counted) {
    const exceeds = (index: number, quota: string): boolean =>
      Number(cellsOf(counted, nameOf(quota))[index]) > Math.ceil(Number(quota));
    const limits = QUOTAS.filter((quota) => quota !== 'max');
    const all = counted.nodes.map((node, index) => ({
      node,
      free: Number(cellsOf(counted, nameOf('max'))[index]),
      wrong: limits.filter((quota) => exceeds(index, quota)),
    }));
    // On a single CPU no answer can exceed a quota.
    if (all.some(({ free }) => free < 2))
      return { verdict: 'undecided', because: 'It takes two CPUs to tell.' };
    const right = all.filter(({ wrong }) => wrong.length === 0).map(({ node }) => node);
    const partly = all.filter(({ wrong }) => wrong.length > 0 && wrong.length < limits.length);
    const never = all.filter(({ wrong }) => wrong.length === limits.length).map(({ node }) => node);
    return {
      verdict: right.length === all.length ? 'true' : right.length === 0 ? 'false' : 'depends',
      because: [
        right.length > 0 ? `It does on Node ${list(right)}.` : '',
        partly.length > 0
          ? `It does not for ${list(partly.map(({ node, wrong }) => `${list(wrong.map(nameOf))} on ${node}`))}.`
          : '',
        never.length > 0 ? `On ${list(never)} it sees no quota that is below the number of CPUs.` : '',
      ]
        .filter((text) => text !== '')
        .join(' '),
    };
  },
};
