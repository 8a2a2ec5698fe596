import type { Differences } from '../../bench/compare.js';
import { type Compared, rowName } from '../../bench/compare.js';
import type { Comparison } from '../../results/comparison.js';
import { FIRST_LOOK } from '../../stats/looks.js';
import { hodgesLehmann } from '../../stats/quantile.js';
import { change, list } from '../format.js';
import { advice, findAll, note, type RuleOver, warning } from './finding.js';

export function comparison({ circumstances, ...compared }: Compared): Comparison {
  const rules = [machines, unfinished, nothing, lost, unlike, fewGenerations, allAlike, onlyInOne];
  return { ...compared, findings: findAll(rules, compared, circumstances) };
}

type Rule = RuleOver<[compared: Pick<Comparison, 'rows' | 'of'>, known: Compared['circumstances']]>;

const differences = ({ what, old, new: now }: Differences): string =>
  what.map((fact, index) => `${fact} ${old[index]} → ${now[index]}`).join(', ');

const machines: Rule = (_, { machine }) => {
  if (machine === null) return null;
  const text = `the results come from two machines (${differences(machine)}), so their times cannot be compared; measure both on one machine`;
  return warning('compare.other-machine', text, { ...machine });
};

const unfinished: Rule = (_, { isUnfinished }) =>
  isUnfinished && warning('compare.unfinished', 'the measurement was interrupted and is incomplete');

const nothing: Rule = ({ rows, of }) =>
  rows.length === 0 &&
  of === 'bench' &&
  warning('compare.nothing-in-common', 'the two results have no workload and size in common');

const lost: Rule = (_, known) =>
  known.lost.map(({ what, message }) => {
    const text = `the ${what.replace(' ', ' module at size ')} failed: ${message}`;
    return warning('compare.lost', text, { what, message });
  });

const UNLIKE = {
  otherWork: [
    'compare.other-work',
    'the work differs (operations, parameters), so its times cannot be compared',
  ],
  noisy: ['compare.noisy', 'one result is too noisy to compare; measure it again, or for longer (--time)'],
  disturbed: [
    'compare.disturbed',
    'other programs or virtual machines used the CPUs during more than half of one measurement; ratios between sizes remain valid, times do not',
  ],
} as const;

const unlike: Rule = (_, known) =>
  (['otherWork', 'noisy', 'disturbed'] as const).flatMap((kind) => {
    const [names, [id, text]] = [known[kind], UNLIKE[kind]];
    return names.length === 0 ? [] : warning(id, `${list(names)}: ${text}`, { names });
  });

const fewGenerations: Rule = ({ rows }) => {
  const names = rows.filter(({ interval }) => interval === null).map(rowName);
  const text = `${list(names)}: one result has fewer than ${FIRST_LOOK} generations, so these are estimates; measure for longer (--time)`;
  return names.length > 0 && advice('compare.few-generations', text, { names, needed: FIRST_LOOK });
};

/** With fewer rows that agree it may be chance. */
const LEAST_ALIKE = 4;
/** On the log scale: rows within 5 % of one another changed alike. */
const ALIKE = 0.05;

const allAlike: Rule = ({ rows }) => {
  const verdict = rows[0]?.verdict ?? '';
  if (rows.length < LEAST_ALIKE || !['better', 'worse'].includes(verdict)) return null;
  const logs = rows.map(({ ratio }) => Math.log(ratio));
  const middle = hodgesLehmann(logs);
  if (rows.some((row) => row.verdict !== verdict) || logs.some((log) => Math.abs(log - middle) > ALIKE))
    return null;
  const ratio = Math.exp(middle);
  const text = `all ${rows.length} rows changed alike, by about ${change(ratio)}; the cause may be the machine, not the code: measure the old version again, right before or after the new one`;
  return advice('compare.all-alike', text, { ratio, rows: rows.length });
};

const onlyInOne: Rule = (_, { onlyOld, onlyNew }) => {
  const texts = [
    ...(onlyOld.length === 0 ? [] : [`only in the old result: ${list(onlyOld)}`]),
    ...(onlyNew.length === 0 ? [] : [`only in the new result: ${list(onlyNew)}`]),
  ];
  return texts.length > 0 && note('compare.only-in-one', texts.join('; '), { old: onlyOld, new: onlyNew });
};
