import type { Compared, ComparisonFact } from '../../bench/compare.js';
import type { Differences } from '../../bench/machines.js';
import type { Comparison } from '../../results/comparison.js';
import type { Finding } from '../../results/finding.js';
import { change, list } from '../format.js';
import { statement, type Texts } from './statement.js';

/** A comparison with its findings in words. */
export function comparison({ facts, ...compared }: Compared): Comparison {
  return {
    ...compared,
    findings: facts.map((fact) => ({ ...statement(fact, TEXTS), severity: SEVERITY[fact.id] })),
  };
}

const SEVERITY: Record<ComparisonFact['id'], Finding['severity']> = {
  'compare.other-machine': 'warning',
  'compare.nothing-in-common': 'warning',
  'compare.other-work': 'warning',
  'compare.noisy': 'warning',
  'compare.disturbed': 'warning',
  'compare.lost': 'warning',
  'compare.unfinished': 'warning',
  'compare.few-generations': 'advice',
  'compare.all-alike': 'advice',
  'compare.only-in-one': 'note',
  'compare.other-software': 'note',
};

const TEXTS: Texts<ComparisonFact> = {
  'compare.other-machine': (fact) =>
    `measured on two machines (${differences(fact)}): their times cannot be compared; measure both on one`,
  'compare.nothing-in-common': () => 'the two results have no workload and size in common',
  'compare.other-work': ({ names }) =>
    `${list(names)}: the work was another one (operations, parameters), so its times cannot be compared`,
  'compare.noisy': ({ names }) =>
    `${list(names)}: one of the results is too noisy to tell; measure it again, or for longer (--time)`,
  'compare.disturbed': ({ names }) =>
    `${list(names)}: other programs, or other machines, used the CPUs for more than half of the time of one of the results; ratios of sizes stand that, times do not`,
  'compare.lost': ({ what, message }) => `the ${what.replace(' ', ' module at size ')} failed: ${message}`,
  'compare.unfinished': () => 'interrupted: what was measured is not complete',
  'compare.few-generations': ({ names, needed }) =>
    `${list(names)}: fewer than ${needed} generations in one of the results, so these are estimates; measure for longer (--time)`,
  'compare.all-alike': ({ ratio, rows }) =>
    `all ${rows} rows changed alike, by about ${change(ratio)}: that may be the machine and not the code; measure the old one again, right before or after the new one`,
  'compare.only-in-one': ({ old, new: added }) =>
    [
      ...(old.length === 0 ? [] : [`only in the old result: ${list(old)}`]),
      ...(added.length === 0 ? [] : [`only in the new result: ${list(added)}`]),
    ].join('; '),
  'compare.other-software': (fact) => `not the same in both: ${differences(fact)}`,
};

const differences = ({ what, old, new: now }: Differences): string =>
  what.map((fact, index) => `${fact} ${old[index]} → ${now[index]}`).join(', ');
