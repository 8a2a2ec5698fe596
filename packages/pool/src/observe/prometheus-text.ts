import { badRange, badType } from '../errors.js';
import type { Core } from '../host/core.js';
import type { Histogram } from '../shared/histogram.js';
import { type Breakdown, PHASES } from './breakdown.js';
import { FAMILIES, PHASE_HELP, prometheusName, TIMES } from './families.js';

/** Options of `prometheusMetrics()`. */
export interface MetricsOptions {
  /** Labels of every sample, to tell pools apart: `{ pool: 'images' }`. Default: none. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** Content-Type of `prometheusMetrics()`. */
export const prometheusContentType = 'text/plain; version=0.0.4; charset=utf-8';

type Labels = Readonly<Record<string, string>>;

/** A pool that a text tells of. */
export interface Source {
  readonly core: Core;
  readonly breakdowns: readonly Breakdown[];
  readonly labels: Labels;
}

/** Upper bounds of histograms, in seconds. */
const BOUNDS: readonly number[] = [
  0.00001, 0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];
const LABEL = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
/** Labels that the pool itself gives. */
const TAKEN = ['le', 'task', 'file', 'phase'];
const TASK = 'plimsoll_pool_task_seconds';
const PHASE = prometheusName('plimsoll.pool.task.phase', 'counter', '_seconds');

/** What pools know, in the text format of Prometheus, version 0.0.4: each family once, with the samples of all. */
export function prometheusText(sources: readonly Source[]): string {
  const lines: string[] = [];
  const add = (name: string, type: string, help: string, samplesOf: (source: Source) => string[]): void => {
    const samples = sources.flatMap(samplesOf);
    if (samples.length > 0) lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples);
  };
  for (const { name: given, type, help, of } of FAMILIES) {
    const name = prometheusName(given, type);
    add(name, type, help, ({ core, labels }) => [sample(name, labels, of(core))]);
  }
  for (const { kind, name: given, help } of TIMES) {
    const name = prometheusName(given, 'histogram', '_seconds');
    add(name, 'histogram', help, ({ core: { timing }, labels }) =>
      timing === undefined ? [] : histogram(name, labels, timing.ever(kind)),
    );
  }
  add(TASK, 'histogram', 'From run() to the end of reading the result, by function.', (source) =>
    source.breakdowns.flatMap((one) => histogram(TASK, labelsFor(source, one), one.total)),
  );
  add(PHASE, 'counter', PHASE_HELP, (source) =>
    source.breakdowns.flatMap((one) =>
      PHASES.map((phase) => sample(PHASE, { ...labelsFor(source, one), phase }, one.phases[phase].sum / 1e3)),
    ),
  );
  return `${lines.join('\n')}\n`;
}

const labelsFor = ({ labels }: Source, { name, filename }: Breakdown): Labels => ({
  ...labels,
  task: name,
  file: filename,
});

/** @throws TypeError or RangeError with code PLIMSOLL_POOL_BAD_OPTION for labels that cannot be */
export function labelsOf(options: MetricsOptions): Labels {
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

function sample(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`;
}

const ESCAPES: Record<string, string> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };
const escaped = (text: string): string =>
  text.replace(/[\\"\n]/g, (character) => ESCAPES[character] as string);

function histogram(name: string, labels: Labels, times: Histogram): string[] {
  const { count } = times;
  const bucket = (le: string, upTo: number): string => sample(`${name}_bucket`, { ...labels, le }, upTo);
  return [
    // A worker may count a time in its bucket only after this has read the sum of all.
    ...BOUNDS.map((bound) => bucket(String(bound), Math.min(count, times.countUpTo(bound * 1e3)))),
    bucket('+Inf', count),
    sample(`${name}_sum`, labels, times.sum / 1e3),
    sample(`${name}_count`, labels, count),
  ];
}
