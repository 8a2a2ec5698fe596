import { badRange, badType } from '../errors.js';
import type { Core } from '../host/core.js';
import type { Histogram } from '../shared/histogram.js';
import { type Breakdown, PHASES } from './breakdown.js';
import { BOUNDS, FAMILIES, TIMES } from './families.js';

/** Options of `prometheusMetrics()`. */
export interface MetricsOptions {
  /** Labels of every sample, to tell pools apart: `{ pool: 'images' }`. Default: none. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** Content-Type of `prometheusMetrics()`. */
export const prometheusContentType = 'text/plain; version=0.0.4; charset=utf-8';

type Labels = Readonly<Record<string, string>>;

const LABEL = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
/** Labels that the pool itself gives. */
const TAKEN = ['le', 'task', 'file', 'phase'];

/**
 * What the pool knows, in the text format of Prometheus, version 0.0.4.
 * @throws TypeError or RangeError with code PLIMSOLL_POOL_BAD_OPTION for labels that cannot be
 */
export function prometheusText(
  core: Core,
  breakdowns: readonly Breakdown[],
  options: MetricsOptions,
): string {
  const labels = labelsOf(options);
  const lines = FAMILIES.flatMap(({ prometheus, type, help, of }) => {
    const value = of(core);
    return value === undefined ? [] : family(prometheus, type, help, [sample(prometheus, labels, value)]);
  });
  const { timing } = core.state;
  if (timing !== undefined) {
    for (const { kind, prometheus, help } of TIMES)
      lines.push(...family(prometheus, 'histogram', help, histogram(prometheus, labels, timing.ever(kind))));
  }
  lines.push(...byTask(breakdowns, labels));
  return `${lines.join('\n')}\n`;
}

function labelsOf(options: MetricsOptions): Labels {
  if (typeof options !== 'object' || options === null) throw badType('options', options, 'an object');
  const { labels = {} } = Object.assign(Object.create(null), options) as MetricsOptions;
  if (typeof labels !== 'object' || labels === null) throw badType('options.labels', labels, 'an object');
  for (const [name, value] of Object.entries(labels)) {
    if (typeof value !== 'string') throw badType(`options.labels.${name}`, value, 'a string');
    if (!LABEL.test(name) || name.startsWith('__') || TAKEN.includes(name)) {
      throw badRange('a name in options.labels', name, `a label's name, and none of ${TAKEN.join(', ')}`);
    }
  }
  return labels;
}

const TASK = 'plimsoll_pool_task_seconds';
const PHASE = 'plimsoll_pool_task_phase_seconds_total';

/** With `explain`, the same by function. */
function byTask(breakdowns: readonly Breakdown[], labels: Labels): string[] {
  if (breakdowns.length === 0) return [];
  const totals: string[] = [];
  const phases: string[] = [];
  for (const breakdown of breakdowns) {
    const own = { ...labels, task: breakdown.name, file: breakdown.filename };
    totals.push(...histogram(TASK, own, breakdown.total));
    for (const phase of PHASES)
      phases.push(sample(PHASE, { ...own, phase }, breakdown.phases[phase].sum / 1e3));
  }
  return [
    ...family(TASK, 'histogram', 'From run() to the end of reading the result, by function.', totals),
    ...family(PHASE, 'counter', 'Where the time of tasks went, by function.', phases),
  ];
}

function family(name: string, type: string, help: string, samples: readonly string[]): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples];
}

function sample(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${shown(value)}`;
}

const shown = (value: number): string => (Number.isFinite(value) ? String(value) : infinite(value));
const infinite = (value: number): string => (Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf');

const ESCAPES: Record<string, string> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };
const escaped = (text: string): string =>
  text.replace(/[\\"\n]/g, (character) => ESCAPES[character] as string);

function histogram(name: string, labels: Labels, times: Histogram): string[] {
  const { count } = times;
  // A worker may count a time in its bucket only after this has read the sum of all.
  const upTo = BOUNDS.map((bound) => Math.min(count, times.countUpTo(bound * 1e3)));
  const buckets = BOUNDS.map((bound, place) =>
    sample(`${name}_bucket`, { ...labels, le: String(bound) }, upTo[place] as number),
  );
  return [
    ...buckets,
    sample(`${name}_bucket`, { ...labels, le: '+Inf' }, count),
    sample(`${name}_sum`, labels, times.sum / 1e3),
    sample(`${name}_count`, labels, count),
  ];
}
