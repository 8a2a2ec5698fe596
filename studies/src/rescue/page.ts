import { type Environment, environmentLines, formatDuration, markdownTable, median } from '@plimsoll/lab';
import { left, right } from '../common/tables.js';
import { FILE_BYTES, ITERATIONS, PHASES, type Phase, RESCUED } from './phases.js';
import type { Slice } from './run.js';

export const ARMS = ['4', '64', RESCUED] as const;
export const MAX = 32;
const FIXED = ['4', '64'] as const;
/** How far below the better fixed size the rescue may be. */
const GOAL = 0.95;

export interface RescueResult {
  readonly schema: 'plimsoll/1';
  readonly kind: 'rescue';
  readonly effort: 'full' | 'quick';
  readonly startedAt: string;
  readonly seconds: number;
  readonly sliceMs: number;
  /** Slices of a phase, for each server. */
  readonly slices: number;
  readonly generations: number;
  /** How names were looked up; null: lookups could not be made to hang. */
  readonly resolver: string | null;
  readonly environment: Environment;
  readonly failure: string | null;
  readonly rounds: readonly { readonly generation: number; readonly arm: string; readonly result: Slice }[];
}

interface Figures {
  readonly rate: number;
  readonly p99Ms: number;
  readonly loopP99Ms: number;
  readonly rescuedMs: readonly number[];
}

/** Of an arm in a phase, over all slices; answers of those included in which the rescue had not come yet. */
function figuresOf({ rounds }: RescueResult, arm: string, phase: number): Figures {
  const slices = rounds.filter((one) => one.arm === arm && one.result.phase === phase);
  const results = slices.map(({ result }) => result);
  const sum = (pick: (one: Slice) => number): number => results.reduce((total, one) => total + pick(one), 0);
  const middle = (pick: (one: Slice) => number): number =>
    results.length === 0 ? Number.NaN : median(results.map(pick));
  return {
    rate: sum(({ answers }) => answers) / sum(({ seconds }) => seconds),
    p99Ms: middle(({ p99Ms }) => p99Ms),
    loopP99Ms: middle(({ loopP99Ms }) => loopP99Ms),
    rescuedMs: [...new Set(results.flatMap(({ rescuedMs }) => rescuedMs ?? []))],
  };
}

export interface PhaseFigures {
  readonly phase: Phase;
  readonly of: Readonly<Record<string, Figures>>;
  /** The fixed size that answered more. */
  readonly better: (typeof FIXED)[number];
  /** Answers of the rescue, and of the second server of 64 threads, by those of the better one, and by those of 64. */
  readonly ratio: number;
  readonly twin: number;
}

export function phaseFigures(result: RescueResult): PhaseFigures[] {
  return PHASES.flatMap((phase, index) => {
    if (phase.hang === 'lookups' && result.resolver === null) return [];
    const of = Object.fromEntries([...ARMS, 'twin'].map((arm) => [arm, figuresOf(result, arm, index)]));
    const rate = (arm: string): number => (of[arm] as Figures).rate;
    const better = rate('4') > rate('64') ? '4' : '64';
    const [ratio, twin] = [rate(RESCUED) / rate(better), rate('twin') / rate('64')];
    return [{ phase, of, better, ratio, twin }];
  });
}

const percent = (ratio: number): string => {
  const change = Math.round((ratio - 1) * 1000) / 10;
  return `${change < 0 ? '−' : '+'}${Math.abs(change).toFixed(1)} %`;
};

function verdict(phases: readonly PhaseFigures[]): string {
  const worst = phases.reduce((least, one) => (one.ratio < least.ratio ? one : least));
  const short = phases.filter(({ ratio }) => ratio < GOAL).length;
  const head =
    short === 0
      ? `**In each of the ${phases.length} phases the rescue answers at least 95 % of what the better fixed size does.**`
      : `**In ${short} of ${phases.length} phases the rescue answers less than 95 % of what the better fixed size does.**`;
  return `${head} The worst one is *${worst.phase.id}*: ${percent(worst.ratio)} beside ${worst.better} threads, where two servers of 64 differ by ${percent(worst.twin)}.`;
}

/** The page, from the result alone. */
export function rescuePage(result: RescueResult): string {
  const phases = phaseFigures(result);
  const number = (value: number, digits: number): string =>
    Number.isFinite(value) ? value.toFixed(digits) : '–';
  const cells = ({ of }: PhaseFigures, pick: (one: Figures) => number, digits: number): string[] =>
    ARMS.map((arm) => number(pick(of[arm] as Figures), digits));
  const phaseMs = result.slices * result.sliceMs * (ARMS.length + 1);
  const rescued = phases.flatMap(({ of }) => of[RESCUED]?.rescuedMs ?? []);
  const titles = ['4', '64', 'rescue'];
  return `${[
    '# A pool that answers while half of it hangs',
    '',
    'Measured by `npm run study:rescue`; every slice is in [rescue.json](rescue.json).',
    ...(result.effort === 'full'
      ? []
      : ['', '**A quick run: it proves that the study works, and nothing else.**']),
    '',
    `A server hashes passwords (pbkdf2, ${ITERATIONS} iterations) and serves files of ${FILE_BYTES / 1024} KB. It has a pool of 4 threads, one of 64, or`,
    `one of 4 that [a rescue](../reference/monitor.md#rescuethreadpool-extra-threads-while-some-hang) makes larger, up to ${MAX}. Servers of all kinds, and a second one of 64 threads`,
    `as a twin, live at the same time and take turns by slices of ${result.sliceMs / 1000} s of load, in random order. Each goes through the same ${PHASES.length} phases;`,
    `what hangs does so for all of a phase, ${formatDuration(phaseMs)}: files are opens of a FIFO that nobody writes to, lookups wait for a`,
    'name server that is silent. 60 users a second log in and 120 ask for a file, at random moments, whether or not earlier ones were',
    'answered; *only* is a closed loop of 16 clients, all that the server can do. Answers are those of all slices, the first moments of a',
    'hang included; p99 and event-loop delay (99th percentile) are medians of the slices, in ms. What was not answered by the end of a',
    'slice counts with its age.',
    '',
    ...(result.resolver === null
      ? ['No lookups: this machine gives no private network, in which a name server could be silent.', '']
      : []),
    ...(result.failure === null ? [] : [`**Failed**: ${result.failure}`, '']),
    verdict(phases),
    '',
    ...markdownTable(
      [
        left('phase'),
        ...titles.map((title) => right(`answers/s: ${title}`)),
        right('rescue by the better'),
        right('64 by its twin'),
        ...titles.map((title) => right(`p99: ${title}`)),
        ...titles.map((title) => right(`loop: ${title}`)),
      ],
      phases.map((one) => [
        one.phase.id,
        ...cells(one, ({ rate }) => rate, 0),
        `${percent(one.ratio)} (${one.better})${one.ratio < GOAL ? ' **short**' : ''}`,
        percent(one.twin),
        ...cells(one, ({ p99Ms }) => p99Ms, 1),
        ...cells(one, ({ loopP99Ms }) => loopP99Ms, 1),
      ]),
    ),
    '',
    ...(rescued.length === 0
      ? []
      : [
          `From the first job that hung to the first thread more: ${Math.round(median(rescued))} ms in the median, ${Math.round(Math.max(...rescued))} ms at the most (${rescued.length} times). A server`,
          'that nobody asks anything adds none.',
          '',
        ]),
    '## Where and how',
    '',
    ...environmentLines(result.environment),
    ...(result.resolver === null ? [] : [`- lookups: ${result.resolver}`]),
    `- ${result.generations} generations of processes, ${result.slices} slices of a phase for each server in each`,
    `- ${formatDuration(result.seconds * 1000)} in all, ${result.startedAt.slice(0, 10)}`,
  ].join('\n')}\n`;
}
