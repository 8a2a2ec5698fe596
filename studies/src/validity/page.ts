import { environmentLines, formatDuration, markdownTable, median } from '@plimsoll/lab';
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
    'Three sizes and the twin: of one process six blocks in each of at most six generations; of a process for each size three blocks in',
    'each of twelve. It is looked after each generation from the fourth on. Rounds have skewed noise, spikes, a drift that is a random',
    'walk, and processes that differ. *False*: any verdict that is not true, or any interval that does not hold the truth, of any size:',
    'at most 5 % are promised. *Wrong size*: one that is truly more than 5 % slower than the best was recommended.',
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
    '## How narrow, in 10 s a workload',
    '',
    'Sizes 2, 4 and 8 for the same time by one process that has all sizes and by one process for each round, with nothing beside it and',
    'beside one process that is always busy. *±*: half of the interval. *Agree*: the intervals overlap.',
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
  const shown = ({ ratio, interval }: ModePair['resized']): string =>
    `${ratio.toFixed(3)}${interval === null ? '' : ` [${interval.map((bound) => bound.toFixed(3)).join(', ')}]`}`;
  return markdownTable(
    [
      left('machine'),
      left('work'),
      right('size'),
      right('against 4, one process of all sizes'),
      right('±'),
      right('a process for each round'),
      right('±'),
      left('agree'),
    ],
    modes.map(({ isDisturbed, workload, size, resized, isolated }) => {
      const [one, rival] = [resized.interval, isolated.interval];
      const agrees = one === null || rival === null ? '' : one[0] <= rival[1] && rival[0] <= one[1];
      return [
        isDisturbed ? 'one busy process' : 'quiet',
        workload,
        String(size),
        ...[shown(resized), percent(halfOf(one), 1), shown(isolated), percent(halfOf(rival), 1)],
        agrees === '' ? '' : agrees ? 'yes' : '**no**',
      ];
    }),
  );
}
