import { type Compared, rowName } from '../../bench/compare.js';
import type { Differences } from '../../bench/machines.js';
import type { Comparison } from '../../results/comparison.js';
import type { Finding } from '../../results/finding.js';
import { FIRST_LOOK } from '../../stats/looks.js';
import { hodgesLehmann } from '../../stats/quantile.js';
import { change, list } from '../format.js';
import { finding } from './finding.js';

/** A comparison with what a reader must know of it. */
export function comparison({ circumstances, ...compared }: Compared): Comparison {
  const rules = [machines, unfinished, nothing, lost, unlike, fewGenerations, allAlike, onlyInOne, software];
  return { ...compared, findings: rules.flatMap((rule) => rule(compared, circumstances)) };
}

type Rule = (compared: Pick<Comparison, 'rows' | 'of'>, known: Compared['circumstances']) => Finding[];

const differences = ({ what, old, new: now }: Differences): string =>
  what.map((fact, index) => `${fact} ${old[index]} → ${now[index]}`).join(', ');

const evidenceOf = ({ what, old, new: now }: Differences): Finding['evidence'] => ({
  what: [...what],
  old: [...old],
  new: [...now],
});

const machines: Rule = (_, { machine }) => {
  if (machine === null) return [];
  const text = `measured on two machines (${differences(machine)}): their times cannot be compared; measure both on one`;
  return [finding('warning', 'compare.other-machine', text, evidenceOf(machine))];
};

const unfinished: Rule = (_, { isUnfinished }) =>
  isUnfinished
    ? [finding('warning', 'compare.unfinished', 'interrupted: what was measured is not complete')]
    : [];

const nothing: Rule = ({ rows, of }) =>
  rows.length === 0 && of === 'bench'
    ? [finding('warning', 'compare.nothing-in-common', 'the two results have no workload and size in common')]
    : [];

/** A module failed at a size. */
const lost: Rule = (_, known) =>
  known.lost.map(({ what, message }) =>
    finding('warning', 'compare.lost', `the ${what.replace(' ', ' module at size ')} failed: ${message}`, {
      what,
      message,
    }),
  );

/** Workloads whose times do not tell how fast the code is. */
const unlike: Rule = (_, { otherWork, noisy, disturbed }) => {
  const warning = (id: string, names: readonly string[], text: string): Finding[] =>
    names.length === 0 ? [] : [finding('warning', id, `${list(names)}: ${text}`, { names: [...names] })];
  return [
    ...warning(
      'compare.other-work',
      otherWork,
      'the work was another one (operations, parameters), so its times cannot be compared',
    ),
    ...warning(
      'compare.noisy',
      noisy,
      'one of the results is too noisy to tell; measure it again, or for longer (--time)',
    ),
    ...warning(
      'compare.disturbed',
      disturbed,
      'other programs, or other machines, used the CPUs for more than half of the time of one of the results; ratios of sizes stand that, times do not',
    ),
  ];
};

const fewGenerations: Rule = ({ rows }) => {
  const names = rows.filter(({ interval }) => interval === null).map(rowName);
  if (names.length === 0) return [];
  const text = `${list(names)}: fewer than ${FIRST_LOOK} generations in one of the results, so these are estimates; measure for longer (--time)`;
  return [finding('advice', 'compare.few-generations', text, { names, needed: FIRST_LOOK })];
};

/** With fewer rows that agree it may be chance. */
const LEAST_ALIKE = 4;
/** On the log scale: rows within 5 % of one another changed alike. */
const ALIKE = 0.05;

/** All rows changed by about as much: the machine may have. */
const allAlike: Rule = ({ rows }) => {
  const [first] = rows;
  if (first === undefined || rows.length < LEAST_ALIKE) return [];
  if (!rows.every(({ verdict }) => verdict === first.verdict)) return [];
  const logs = rows.map(({ ratio }) => Math.log(ratio));
  const middle = hodgesLehmann(logs);
  const isAlike = logs.every((log) => Math.abs(log - middle) <= ALIKE);
  if (!['better', 'worse'].includes(first.verdict) || !isAlike) return [];
  const ratio = Math.exp(middle);
  const text = `all ${rows.length} rows changed alike, by about ${change(ratio)}: that may be the machine and not the code; measure the old one again, right before or after the new one`;
  return [finding('advice', 'compare.all-alike', text, { ratio, rows: rows.length })];
};

const onlyInOne: Rule = (_, { onlyOld, onlyNew }) => {
  const text = [
    ...(onlyOld.length === 0 ? [] : [`only in the old result: ${list(onlyOld)}`]),
    ...(onlyNew.length === 0 ? [] : [`only in the new result: ${list(onlyNew)}`]),
  ].join('; ');
  const evidence = { old: [...onlyOld], new: [...onlyNew] };
  return text === '' ? [] : [finding('note', 'compare.only-in-one', text, evidence)];
};

/** What may be the very thing that is compared; worth a word. */
const software: Rule = (_, known) => {
  if (known.software === null) return [];
  const text = `not the same in both: ${differences(known.software)}`;
  return [finding('note', 'compare.other-software', text, evidenceOf(known.software))];
};
