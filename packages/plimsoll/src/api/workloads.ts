import { existsSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ChosenWorkload } from '../bench/options.js';
import { PlimsollError, usage } from '../errors.js';
import { formatNumber, list } from '../report/format.js';
import {
  isWorkloadName,
  resolveParameters,
  type WorkloadName,
  workloadNames,
} from '../workloads/parameters.js';
import { looksLikePath } from '../workloads/target.js';
import type { CheckedOptions } from './options.js';

type WorkloadOptions = Pick<CheckedOptions<'bench'>, 'operations' | 'scale' | 'parameters'>;

/** All built-in ones when none is named. */
export function chooseWorkloads(names: readonly string[], options: WorkloadOptions): ChosenWorkload[] {
  const chosen = names.length === 0 ? workloadNames : [...new Set(names)];
  for (const name of Object.keys(options.parameters))
    if (!chosen.includes(name) || !isWorkloadName(name))
      throw usage(
        `parameters of ${JSON.stringify(name)}, which is not one of the selected workloads (${chosen.join(', ')})`,
      );
  return chosen.map((name) => {
    if (isWorkloadName(name)) return builtIn(name, options);
    if (looksLikePath(name)) return moduleWorkload(name, options);
    throw usage(
      `unknown workload ${JSON.stringify(name)}; it must be one of ${workloadNames.join(', ')}, or the path of a module (./my-workload.mjs)`,
    );
  });
}

const shown = (value: string | number): string => (typeof value === 'number' ? formatNumber(value) : value);

function builtIn(name: WorkloadName, { parameters: all, ...options }: WorkloadOptions): ChosenWorkload {
  const parameters = resolveParameters(name, { ...options, set: all[name] ?? {} });
  return {
    name,
    description: list(Object.entries(parameters).map(([key, value]) => `${key} ${shown(value)}`)),
    spec: { kind: 'built-in', name, parameters },
    usesDns: name === 'dns' || name === 'mixed',
  };
}

export function moduleWorkload(
  path: string,
  { operations, scale }: Omit<WorkloadOptions, 'parameters'>,
): ChosenWorkload {
  const absolute = resolve(path);
  if (!existsSync(absolute) || !statSync(absolute).isFile())
    throw new PlimsollError('PLIMSOLL_BAD_WORKLOAD', `there is no module at ${path}`);
  return {
    name: basename(path),
    description: `the default export of ${path}`,
    spec: { kind: 'module', url: pathToFileURL(absolute).href, operations: operations ?? null, scale },
    usesDns: false,
  };
}
