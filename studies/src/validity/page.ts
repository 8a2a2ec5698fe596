import { environmentLines, formatDuration, markdownTable, median } from 'plimsoll/lab';
import { left, right } from '../common/tables.js';
import type { ModePair, RealSuite, Simulated, ValidityResult } from './result.js';

export function validityPage(result: ValidityResult): string {
  const { simulated, real, modes, environment, seconds, seed, startedAt } = result;
  return [
    '# How often plimsoll bench is wrong, and how soon it is right',
    '',
    'Measured by `npm run study:validity`; every suite of real processes is in [validity.json](validity.json). How it decides:',
    '[methodology](../internals/methodology.md).',
    '',
    '## Simulated suites that stop when they know',
    '',
    'Three sizes and the twin, three blocks a generation, at most twelve generations, looked at after each from the fourth on. Rounds',
    'have skewed noise, spikes, a drift that is a random walk, and processes that differ. *False*: any verdict that is not true, or any',
    'interval that does not hold the truth, of any size: at most 5 % are promised. *Wrong size*: one that is truly more than 5 % slower',
    'than the best was recommended.',
    '',
    ...simulatedTable(simulated),
    '',
    '## Real suites',
    '',
    `Work that uses no pool, at sizes 4, 8 and 16: no size can make a difference but the one planted at 16. At most`,
    `${Math.round(Math.max(...real.map((one) => one.seconds)))} s a suite. Disturbed: two processes, each busy and idle by turns for up to two seconds.`,
    '',
    ...realTable(real),
    '',
    '## In turn against one process at a time',
    '',
    'Sizes 4 and 8 for the same time by both modes. *Agree*: the intervals overlap. *Narrower*: width of the interval one process at a',
    'time ÷ width in turn, on the log scale.',
    '',
    ...modesTable(modes),
    '',
    '## Where and how',
    '',
    ...environmentLines(environment),
    `- seed ${seed}, ${formatDuration(seconds * 1000)} in all, ${startedAt.slice(0, 10)}`,
    '',
  ].join('\n');
}

const percent = (part: number, whole: number): string =>
  whole === 0 || !Number.isFinite(part) ? '–' : `${((100 * part) / whole).toFixed(1)} %`;
const change = (ratio: number): string =>
  ratio === 1 ? 'nothing' : `${ratio > 1 ? '+' : '−'}${Math.abs((ratio - 1) * 100).toFixed(0)} %`;

function simulatedTable(simulated: readonly Simulated[]): string[] {
  return markdownTable(
    [
      left('machine'),
      left('planted'),
      right('suites'),
      right('false'),
      right('noisy'),
      right('found'),
      right('wrong size'),
      right('settled'),
      right('generations'),
      right('± at 8'),
    ],
    simulated.map((one) => [
      one.world,
      change(one.planted),
      String(one.suites),
      percent(one.wrong, one.suites),
      percent(one.noisy, one.suites),
      one.planted === 1 ? '' : percent(one.found, one.suites),
      percent(one.wronglyRecommended, one.suites),
      percent(one.settled, one.suites),
      one.meanGenerations.toFixed(1),
      percent(one.medianHalfWidth, 1),
    ]),
  );
}

function realTable(real: readonly RealSuite[]): string[] {
  return markdownTable(
    [
      left('machine'),
      left('planted'),
      right('suites'),
      right('false verdicts'),
      right('noisy'),
      right('found'),
      right('settled'),
      right('median seconds'),
      right('median ±'),
    ],
    grouped(real).map((suites) => {
      const [{ planted, isDisturbed }] = suites as [RealSuite];
      const count = (is: (one: RealSuite) => boolean): number => suites.filter(is).length;
      return [
        isDisturbed ? 'disturbed' : 'quiet',
        change(planted),
        String(suites.length),
        percent(count(isFalse), suites.length),
        percent(
          count(({ noisy }) => noisy),
          suites.length,
        ),
        planted === 1
          ? ''
          : percent(
              count(({ verdict }) => verdict === 'worse'),
              suites.length,
            ),
        percent(
          count(({ stop }) => stop === 'settled'),
          suites.length,
        ),
        median(suites.map(({ seconds }) => seconds)).toFixed(1),
        percent(median(suites.map(({ interval }) => halfOf(interval))), 1),
      ];
    }),
  );
}

function grouped(real: readonly RealSuite[]): RealSuite[][] {
  const groups = new Map<string, RealSuite[]>();
  for (const one of real) {
    const key = `${one.isDisturbed} ${one.planted}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()];
}

const isFalse = ({ planted, verdict, otherVerdict }: RealSuite): boolean =>
  otherVerdict === 'better' ||
  otherVerdict === 'worse' ||
  verdict === 'better' ||
  (planted === 1 && verdict === 'worse');

const halfOf = (interval: readonly [number, number] | null): number =>
  interval === null ? Number.POSITIVE_INFINITY : Math.sqrt(interval[1] / interval[0]) - 1;

function modesTable(modes: readonly ModePair[]): string[] {
  const shown = ({ ratio, interval }: ModePair['alternating']): string =>
    `${ratio.toFixed(3)}${interval === null ? '' : ` [${interval.map((bound) => bound.toFixed(3)).join(', ')}]`}`;
  return markdownTable(
    [
      left('machine'),
      left('work'),
      right('8 against 4, in turn'),
      right('one process at a time'),
      left('agree'),
      right('narrower'),
    ],
    modes.map(({ isDisturbed, workload, alternating, isolated }) => {
      const [one, other] = [alternating.interval, isolated.interval];
      const known = one !== null && other !== null;
      return [
        isDisturbed ? 'disturbed' : 'quiet',
        workload,
        shown(alternating),
        shown(isolated),
        !known ? '' : one[0] <= other[1] && other[0] <= one[1] ? 'yes' : '**no**',
        !known ? '' : `${(Math.log(other[1] / other[0]) / Math.log(one[1] / one[0])).toFixed(1)} ×`,
      ];
    }),
  );
}
