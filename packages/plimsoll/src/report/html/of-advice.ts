import type { Advice, PredictedMeasures, Prediction } from '../../results/advice.js';
import { objectiveName } from '../advise.js';
import { whatIfLines } from '../findings/advise.js';
import { formatBytes, formatCount, formatMs, formatRate, list, percent } from '../format.js';
import type { Column } from '../table.js';
import { escapeText } from './escape.js';
import { findingList } from './finding-list.js';
import { coreRules } from './of-bench.js';
import type { Render, Section } from './section.js';
import { drawSizeCurve } from './size-curve.js';
import { htmlTable } from './table.js';
import { drawTimeStack } from './time-stack.js';

const MOST_KINDS = 6;
const MOST_ROUTES = 8;

/** The advice of `plimsoll advise`: predicted and measured on one axis, requests and routes first. */
export const adviceSection: Render<Advice> = (advice, id): Section => {
  const { trace, recommended, findings, method, predictions } = advice;
  const changes = whatIfLines(method.whatIf);
  const command = trace.command.join(' ');
  const isAsked = predictions.some(({ requests }) => requests !== null);
  const budgets = [
    ...trace.byKind
      .slice(0, MOST_KINDS)
      .map(({ kind, jobs, budget }) => ({ label: `${kind} (${jobs})`, budget })),
    ...(trace.byKind.length === 1 ? [] : [{ label: `all (${trace.jobs})`, budget: trace.budget }]),
  ];
  const recorded = `${formatCount(trace.jobs, 'job')} in ${formatMs(trace.durationMs)} with ${formatCount(trace.size, 'pool thread')}`;
  return {
    id,
    title: command === '' ? 'a recorded run' : command,
    kind: 'plimsoll advise',
    verdicts: [
      {
        work: command === '' ? 'the recorded program' : command,
        size: recommended.size,
        isEstimate: recommended.confidence === 'low',
        gain: '',
        sure: `confidence ${recommended.confidence}`,
        because: `by ${objectiveName(advice)}: ${recommended.because}`,
      },
    ],
    body: [
      `<p class="how">Recorded: ${escapeText(recorded)}; simulated on ${formatCount(method.cores, 'core')}, ${method.resamples} resampled runs, seed ${method.seed}.${changes.length === 0 ? '' : ` <strong>What if: ${escapeText(list(changes))}</strong>`}</p>`,
      ...trace.notes.map(({ text }) => `<p class="warning">${escapeText(text)}</p>`),
      `<div class="curves">${isAsked ? curve(advice, `${id}-requests`, REQUESTS) : ''}${isAsked ? routeCurves(advice, id) : ''}${curve(advice, `${id}-jobs`, JOBS)}</div>`,
      drawTimeStack(
        budgets,
        `Where the time of a job went, recorded with ${formatCount(trace.size, 'pool thread')}`,
      ),
      predictionTable(advice, isAsked, `${id}-table`),
      findings.length === 0 ? '' : `<h3>What no size fixes</h3>${findingList(findings)}`,
    ].join('\n'),
  };
};

interface Measure {
  readonly title: string;
  readonly pick: (measures: PredictedMeasures) => number | null;
  readonly measured: (one: Advice['verification'][number]['measured']) => number | null;
}

const REQUESTS: Measure = {
  title: 'Requests: mean latency, predicted',
  pick: ({ requests }) => (requests === null || requests.isOverloaded ? null : requests.latencyMs.mean),
  measured: ({ requests }) => requests?.latencyMs.mean ?? null,
};

const JOBS: Measure = {
  title: 'Jobs of the pool: mean latency, predicted',
  pick: ({ latencyMs }) => latencyMs.mean,
  measured: ({ latencyMs, requests }) => (requests === null ? latencyMs.mean : null),
};

function curve(
  { predictions, verification, recommended, environment }: Advice,
  id: string,
  measure: Measure,
): string {
  const points = predictions.flatMap((one) => pointOf(one, measure));
  const measured = verification.flatMap(({ size, measured: one }) => {
    const value = measure.measured(one);
    return value === null || value <= 0 ? [] : [{ size, value }];
  });
  return drawSizeCurve({
    id,
    title: measured.length === 0 ? measure.title : `${measure.title}; squares are measured`,
    description: `${measure.title}: ${points.map(({ size, value }) => `${size} ${formatMs(value)}`).join(', ')}`,
    points,
    chosen: recommended.size,
    rules: coreRules(environment),
    same: null,
    measured,
    format: formatMs,
  });
}

function pointOf(one: Prediction, { pick }: Measure) {
  const [value, low, high] = [pick(one), pick(one.low), pick(one.high)];
  if (value === null || value <= 0) return [];
  const bounds = low === null || high === null ? null : ([Math.min(low, high), Math.max(low, high)] as const);
  return [{ size: one.size, value, interval: bounds !== null && bounds[0] > 0 ? bounds : null, rounds: [] }];
}

function routeCurves(advice: Advice, id: string): string {
  const routes = advice.predictions.find(({ requests }) => requests !== null)?.requests?.routes ?? [];
  if (routes.length < 2) return '';
  return routes
    .slice(0, MOST_ROUTES)
    .map(({ route }, index) =>
      curve(advice, `${id}-route-${index + 1}`, {
        title: `${route}: mean latency, predicted`,
        pick: ({ requests }) =>
          requests === null || requests.isOverloaded
            ? null
            : (requests.routes.find((other) => other.route === route)?.latencyMs.mean ?? null),
        measured: () => null,
      }),
    )
    .join('');
}

const right = (title: string): Column => ({ title, align: 'right', expendable: 0 });

interface Field {
  readonly title: string;
  readonly text: (one: Prediction) => string;
}

const OF_REQUESTS: readonly Field[] = [
  { title: 'requests, mean', text: ({ requests }) => told(requests, (one) => formatMs(one.latencyMs.mean)) },
  { title: 'requests, p99', text: ({ requests }) => told(requests, (one) => formatMs(one.latencyMs.p99)) },
  { title: 'requests/s', text: ({ requests }) => told(requests, (one) => formatRate(one.perSecond)) },
];

const OF_JOBS: readonly Field[] = [
  { title: 'wait for a thread', text: ({ queueWaitMs }) => formatMs(queueWaitMs.mean) },
  { title: 'job, mean', text: ({ latencyMs }) => formatMs(latencyMs.mean) },
  { title: 'job, p99', text: ({ latencyMs }) => formatMs(latencyMs.p99) },
  { title: 'in all', text: ({ makespanMs }) => formatMs(makespanMs) },
  { title: 'pool in use', text: ({ utilization }) => `${percent(utilization)} %` },
  { title: 'event-loop delay', text: ({ eventLoopDelayMs }) => formatMs(eventLoopDelayMs.p99) },
  { title: 'memory', text: ({ memoryBytes }) => formatBytes(memoryBytes) },
];

function told<Value extends { isOverloaded: boolean }>(
  value: Value | null,
  text: (value: Value) => string,
): string {
  if (value === null) return '–';
  return value.isOverloaded ? 'overload' : text(value);
}

function predictionTable({ predictions, recommended }: Advice, isAsked: boolean, id: string): string {
  const fields = isAsked ? [...OF_REQUESTS, ...OF_JOBS] : OF_JOBS;
  return htmlTable(
    [right('size'), ...fields.map(({ title }) => right(title))],
    predictions.map((one) => [String(one.size), ...fields.map(({ text }) => text(one))]),
    {
      id,
      caption: 'What each size would do',
      chosen: predictions.findIndex(({ size }) => size === recommended.size),
    },
  );
}
