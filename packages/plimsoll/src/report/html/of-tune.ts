import type { TunedSize, TuneResult, TuneRound } from '../../results/tune.js';
import { objectiveText, sizeIn } from '../findings/tune.js';
import { change, formatChange, formatMs } from '../format.js';
import { headlineText, howTuned, subject, twinText } from '../tune.js';
import { routeTable, tuneTable } from '../tune-table.js';
import { escapeText } from './escape.js';
import { findingList } from './finding-list.js';
import { coreRules, timesOf, wrongBy } from './of-bench.js';
import type { Detail, Render, Section, Verdict } from './section.js';
import { drawSizeCurve } from './size-curve.js';
import { htmlTable } from './table.js';

/** As `verdict` has it: within 3 % of the baseline is the same. */
const SAME = [0.97, 1.03] as const;

/** The result of `plimsoll tune`: the answer, what each size does, and why. */
export const tuneSection: Render<TuneResult> = (result, id, detail): Section => {
  const { method, confidence, findings } = result;
  const twin = twinText(result);
  const lines = [
    howTuned(result),
    ...(method.traffic === null ? [] : [`requests: ${method.traffic}`]),
    ...(twin === null ? [] : [twin]),
  ];
  return {
    id,
    title: subject(result),
    kind: 'plimsoll tune',
    verdicts: [verdictOf(result)],
    body: [
      `<p class="${confidence === 'cannot tell' ? 'warning' : 'answer'}"><strong>${escapeText(headlineText(result))}</strong></p>`,
      `<p class="how">${lines.map(escapeText).join('<br>')}</p>`,
      `<div class="curves">${curves(result, id, detail)}</div>`,
      findingList(findings),
      sizesTable(result, id),
      routesTable(result, id),
    ].join('\n'),
  };
};

function verdictOf(result: TuneResult): Verdict {
  const { recommended, confidence, answer, headline, objective, findings } = result;
  const chosen = sizeIn(result, recommended);
  const ratio = chosen?.ratio[objective] ?? null;
  const interval = chosen?.interval ?? null;
  const why = findings.find(({ id }) => id === 'tune.route-slower' || id === 'tune.queue-wait');
  return {
    work: subject(result),
    size: recommended,
    isEstimate: confidence !== 'sure',
    gain: ratio === null || interval === null || answer !== 'change' ? '' : formatChange(ratio, interval),
    sure: chosen?.chanceSlower == null || answer === 'no pool use' ? '' : wrongBy(chosen.chanceSlower),
    because:
      answer === 'change' && ratio !== null
        ? `by ${objectiveText(result)}${why === undefined ? '' : `; ${why.text}`}`
        : headline,
  };
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

interface Measure {
  readonly title: string;
  readonly value: (size: TunedSize) => number | null;
  readonly interval: (size: TunedSize) => readonly [number, number] | null;
  readonly rounds: (size: TunedSize) => readonly number[];
  readonly same: readonly [number, number] | null;
  readonly format: (value: number) => string;
}

/** The objective, and what explains it. */
function curves(result: TuneResult, id: string, { rounds }: Detail): string {
  const { objective, baseline } = result;
  const ofBaseline = sizeIn(result, baseline)?.rounds ?? [];
  const measures: Measure[] = [
    {
      title: capital(`${objectiveText(result)} against ${baseline}`),
      value: ({ ratio }) => ratio[objective],
      interval: ({ interval }) => interval,
      rounds: (size) => (rounds ? roundRatios(size.rounds, ofBaseline, objective) : []),
      same: SAME,
      format: timesOf,
    },
    milliseconds('Wait of a job for a pool thread', ({ queueWaitMs }) => queueWaitMs.fast),
    milliseconds('Event-loop delay (p99)', ({ loopDelayMs }) => loopDelayMs?.p99 ?? null),
  ];
  return measures.map((measure, index) => curve(result, `${id}-${index + 1}`, measure)).join('\n');
}

const milliseconds = (title: string, value: Measure['value']): Measure => ({
  title,
  value,
  interval: () => null,
  rounds: () => [],
  same: null,
  format: formatMs,
});

function curve(result: TuneResult, id: string, measure: Measure): string {
  const points = result.sizes.flatMap((size) => {
    const value = measure.value(size);
    if (value === null || value <= 0) return [];
    return [{ size: size.size, value, interval: measure.interval(size), rounds: measure.rounds(size) }];
  });
  if (points.length < 2) return '';
  const values = points.map(
    ({ size, value }) => `${size} ${measure.same === null ? measure.format(value) : change(value)}`,
  );
  return drawSizeCurve({
    id: `${id}-curve`,
    title: measure.title,
    description: `${measure.title}: ${values.join(', ')}`,
    points,
    chosen: result.recommended,
    rules: coreRules(result.environment),
    same: measure.same,
    format: measure.format,
  });
}

/** Each window against the baseline's in its block: what disturbed both is gone. A window has no 99th percentile of its own. */
function roundRatios(
  rounds: readonly TuneRound[],
  ofBaseline: readonly TuneRound[],
  objective: TuneResult['objective'],
): number[] {
  if (objective === 'p99') return [];
  const figureOf = ({ meanMs, perSecond }: TuneRound): number | null =>
    objective === 'mean' ? meanMs : perSecond;
  const known = new Map(
    ofBaseline.filter(({ twin }) => !twin).map((round) => [round.block, figureOf(round)]),
  );
  return rounds.flatMap((round) => {
    const [own, reference] = [figureOf(round), known.get(round.block) ?? null];
    return own === null || reference === null || own <= 0 || reference <= 0 ? [] : [own / reference];
  });
}

function sizesTable(result: TuneResult, id: string): string {
  if (result.sizes.length === 0) return '';
  const { columns, rows } = tuneTable(result, false);
  return htmlTable(columns, rows, {
    id: `${id}-table`,
    caption: 'What each size does',
    chosen: result.sizes.findIndex(({ size }) => size === result.recommended),
  });
}

function routesTable(result: TuneResult, id: string): string {
  const table = routeTable(result);
  if (table === null) return '';
  return htmlTable(table.columns, table.rows, { id: `${id}-routes`, caption: 'Routes' });
}
