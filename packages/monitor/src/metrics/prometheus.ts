import {
  type Attributes,
  BOUNDS,
  type Distribution,
  type HistogramFamily,
  type NumberFamily,
  prometheusName,
  underscored,
} from './family.js';

/** Content-Type of Prometheus' text format, version 0.0.4. */
export const prometheusContentType = 'text/plain; version=0.0.4; charset=utf-8';

/** Metric families, and extra labels for each of their samples. */
export interface Source {
  readonly families: readonly (NumberFamily | HistogramFamily)[];
  readonly labels?: Attributes;
}

/** Writes Prometheus' text format, version 0.0.4: each family once, with the samples of all sources. */
export function textOf(sources: readonly Source[]): string {
  const texts = new Map<string, string[]>();
  for (const { families, labels } of sources) {
    for (const family of families) {
      const name = prometheusName(family);
      const lines = family.samples().flatMap(({ value, attributes }) => {
        const all = { ...labels, ...attributes };
        return typeof value === 'number' ? [line(name, all, value)] : histogram(name, all, value);
      });
      if (lines.length === 0) continue;
      const text = texts.get(name) ?? [`# HELP ${name} ${family.help}`, `# TYPE ${name} ${family.type}`];
      texts.set(name, text.concat(lines));
    }
  }
  return `${[...texts.values()].flat().join('\n')}\n`;
}

function histogram(name: string, labels: Attributes, values: Distribution): string[] {
  const { count, sum } = values;
  const bucket = (le: string, upTo: number): string => line(`${name}_bucket`, { ...labels, le }, upTo);
  return [
    // Another thread may add to a bucket after this code has read the total.
    ...BOUNDS.map((bound) => bucket(String(bound), Math.min(count, values.countUpTo(bound)))),
    bucket('+Inf', count),
    line(`${name}_sum`, labels, sum),
    line(`${name}_count`, labels, count),
  ];
}

function line(name: string, labels: Attributes, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${underscored(label)}="${escaped(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`;
}

const ESCAPES: Record<string, string> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };
const escaped = (text: string): string =>
  text.replace(/[\\"\n]/g, (character) => ESCAPES[character] as string);
