import { type Environment, environmentLines, formatDuration, markdownTable, median } from '@plimsoll/lab';
import { left, right } from '../common/tables.js';

/** Means of the victim's calls, in milliseconds. */
export interface Run {
  /** By the recording: the wait for a pool thread, and what it falls by without the blocker. */
  readonly waitMs: number;
  readonly fallsByMs: number;
  /** By the app's own clock: from call to callback. */
  readonly tookMs: number;
}

export interface GraphSums {
  readonly name: string;
  readonly jobs: number;
  /** Waiting of all jobs, by their own times; milliseconds. */
  readonly measuredMs: number;
  /** The widths of the graph. */
  readonly graphMs: number;
  readonly failure: string | null;
}

export interface WaitingResult {
  readonly schema: 'plimsoll/1';
  readonly kind: 'waiting';
  readonly effort: 'full' | 'quick';
  readonly startedAt: string;
  readonly seconds: number;
  /** The length of a run. */
  readonly runMs: number;
  readonly environment: Environment;
  readonly pairs: readonly { readonly id: string; readonly generations: readonly Generation[] }[];
  readonly programs: readonly GraphSums[];
}

export interface Generation {
  readonly with: Run;
  readonly without: Run;
}

const GOAL = 0.15;
const GRAPH_GOAL = 0.02;

interface Row {
  readonly id: string;
  readonly withMs: number;
  readonly withoutMs: number;
  readonly saidMs: number;
  /** The fall of the wait, divided by what the table says: by the recording, and by the app's clock. */
  readonly wait: Ratio;
  readonly clock: Ratio;
}

/** Of all generations together, and the extremes of single ones. */
interface Ratio {
  readonly value: number;
  readonly least: number;
  readonly most: number;
}

function rowOf({ id, generations }: WaitingResult['pairs'][number]): Row {
  const middle = (pick: (one: Generation) => number): number => median(generations.map(pick));
  const ratios = (of: (run: Run) => number): Ratio => {
    const pairs = generations.map((one) => ({
      fell: of(one.with) - of(one.without),
      said: one.with.fallsByMs,
    }));
    const total = (pick: (pair: (typeof pairs)[number]) => number): number =>
      pairs.reduce((sum, pair) => sum + pick(pair), 0);
    const each = pairs.map(({ fell, said }) => fell / said);
    const value = total(({ fell }) => fell) / total(({ said }) => said);
    return { value, least: Math.min(...each), most: Math.max(...each) };
  };
  return {
    id,
    withMs: middle((one) => one.with.waitMs),
    withoutMs: middle((one) => one.without.waitMs),
    saidMs: middle((one) => one.with.fallsByMs),
    wait: ratios(({ waitMs }) => waitMs),
    clock: ratios(({ tookMs }) => tookMs),
  };
}

const percent = (share: number): string =>
  `${share < -0.0005 ? '−' : ''}${Math.abs(100 * share).toFixed(1)} %`;
const ratio = ({ value, least, most }: Ratio): string =>
  `${value.toFixed(2)} [${least.toFixed(2)}, ${most.toFixed(2)}]`;
const ms = (value: number): string => value.toFixed(value < 1 ? 3 : 2);
const differenceOf = ({ measuredMs, graphMs }: GraphSums): number => graphMs / measuredMs - 1;

function worstPair(rows: readonly Row[]): string {
  const off = ({ wait }: Row): number => Math.abs(wait.value - 1);
  const worst = rows.reduce((most, row) => (off(row) > off(most) ? row : most));
  const held = rows.filter((row) => off(row) <= GOAL).length;
  return `**In ${held} of ${rows.length} pairs the wait falls by the time that the table says, within ${percent(GOAL)}.** In the worst pair, *${worst.id}*, it falls by ${worst.wait.value.toFixed(2)} times that time.`;
}

function worstGraph(programs: readonly GraphSums[]): string {
  const recorded = programs.filter(({ failure }) => failure === null);
  if (recorded.length === 0) return 'No program could be recorded.';
  const off = (one: GraphSums): number => Math.abs(differenceOf(one));
  const worst = recorded.reduce((most, one) => (off(one) > off(most) ? one : most));
  const held = recorded.filter((one) => off(one) <= GRAPH_GOAL).length;
  return `**In ${held} of ${recorded.length} programs the widths of the graph equal the measured waits within ${percent(GRAPH_GOAL)}.** The largest difference is ${percent(differenceOf(worst))} (*${worst.name}*).`;
}

/** The page, from the result alone. */
export function waitingPage(result: WaitingResult): string {
  const { effort, pairs, programs, runMs, environment, seconds, startedAt } = result;
  const rows = pairs.map(rowOf);
  const generations = pairs[0]?.generations.length ?? 0;
  return `${[
    '# Who makes whom wait, by experiment',
    '',
    'Measured by `npm run study:waiting`; every run is in [waiting.json](waiting.json).',
    ...(effort === 'full' ? [] : ['', '**A quick run: it proves that the study works, and nothing else.**']),
    '',
    'The table *who makes whom wait* of `plimsoll trace --calls` says by how much the wait of calls for a pool thread falls if other',
    'calls take no time. The app of this experiment makes short calls, the victims, at random moments, and bursts of long calls, the',
    'blockers. plimsoll records it twice at the same moments, with the blockers and without them. If the table is right, the wait',
    'falls by the time that it says. The figures are means of the victims, in milliseconds, and medians of',
    `${generations} generations of two runs of ${runMs / 1000} s, whose order alternates. The ratio covers all generations [smallest, largest of one`,
    'generation]. *Clock* is the same ratio by the clock of the app, from call to callback. In the last pair a second blocker stays:',
    'calls of one blocker delay those of the other, and the two together take threads of which each alone would leave some free. The',
    'table replays the queue without the blocker, so both count; single generations differ because jobs of the blocker that stays do',
    'not take equally long in both runs.',
    '',
    worstPair(rows),
    '',
    ...markdownTable(
      [
        left('victim behind blocker'),
        ...['wait', 'without the blocker', 'the table says', 'fall ÷ table', 'clock'].map((title) =>
          right(title),
        ),
      ],
      rows.map((row) => [
        row.id,
        ms(row.withMs),
        ms(row.withoutMs),
        ms(row.saidMs),
        ratio(row.wait),
        ratio(row.clock),
      ]),
    ),
    '',
    '## The widths of the flame graph',
    '',
    'plimsoll recorded programs of [the study of tune](tune.md) for some seconds. The table compares the waiting of all jobs, by their',
    'own times, with the sum of the graph that `--flame` draws.',
    '',
    worstGraph(programs),
    '',
    ...markdownTable(
      [left('program'), ...['jobs', 'measured, ms', 'graph, ms', 'difference'].map((title) => right(title))],
      programs.map((one) =>
        one.failure === null
          ? [one.name, String(one.jobs), ms(one.measuredMs), ms(one.graphMs), percent(differenceOf(one))]
          : [one.name, one.failure, '', '', ''],
      ),
    ),
    '',
    '## Where and how',
    '',
    ...environmentLines(environment),
    `- ${formatDuration(seconds * 1000)} in all, ${startedAt.slice(0, 10)}`,
  ].join('\n')}\n`;
}
