import { PlimsollError } from '../errors.js';
import { faster, onInstances, withoutJobs } from '../model/edit.js';
import type { Machine } from '../model/machine.js';
import type { Workload } from '../model/workload.js';
import type { WhatIf } from '../results/advice.js';
import type { Calibrated } from './calibrate.js';
import type { Demand } from './estimate.js';

export const NO_CHANGE: WhatIf = { cores: null, quota: null, without: [], faster: [], instances: null };

/**
 * What was calibrated, with the changes made.
 *
 * @param kinds of its jobs
 * @throws {PlimsollError} PLIMSOLL_USAGE for a kind that no job has, or when no job is left.
 */
export const changed = (calibrated: Calibrated, kinds: Demand['kinds'], whatIf: WhatIf): Calibrated => ({
  ...calibrated,
  workload: changedWorkload(calibrated.workload, kinds, whatIf),
  machine: changedMachine(calibrated.machine, whatIf),
});

function changedWorkload(work: Workload, kinds: Demand['kinds'], whatIf: WhatIf): Workload {
  let changed = work;
  for (const { kind, factor } of whatIf.faster) {
    const named = checkedKinds(kinds, kind, 'faster');
    changed = faster(changed, (job) => named.has(kinds[job] as string), factor);
  }
  const gone = new Set(whatIf.without.flatMap((kind) => [...checkedKinds(kinds, kind, 'without')]));
  if (gone.size > 0) {
    const left = withoutJobs(changed, (job) => !gone.has(kinds[job] as string));
    if (left === null)
      throw new PlimsollError(
        'PLIMSOLL_USAGE',
        `without: no job is left without ${whatIf.without.join(', ')}`,
      );
    changed = left;
  }
  return whatIf.instances === null ? changed : onInstances(changed, whatIf.instances);
}

function checkedKinds(kinds: Demand['kinds'], name: string, option: string): Set<string> {
  // `fs` is also `fs.open`.
  const named = new Set(kinds.filter((kind) => kind === name || kind.startsWith(`${name}.`)));
  if (named.size > 0) return named;
  throw new PlimsollError(
    'PLIMSOLL_USAGE',
    `${option}: no job is of the kind ${JSON.stringify(name)}; recorded were ${[...new Set(kinds)].sort().join(', ')}`,
  );
}

/** The machine with the changes made; more cores bring no quota with them, and a quota no cores. */
function changedMachine(machine: Machine, { cores, quota }: WhatIf): Machine {
  const changed = { ...machine, cores: cores ?? machine.cores, quota: quota ?? machine.quota };
  return {
    ...changed,
    quota: changed.quota !== null && changed.quota < changed.cores ? changed.quota : null,
    otherCores: Math.min(machine.otherCores, Math.max(0, changed.cores - 0.1)),
  };
}
