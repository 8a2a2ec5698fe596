/** What tells samples of a family apart: attributes of OpenTelemetry, labels of Prometheus. */
export type Attributes = Readonly<Record<string, string>>;

export interface Sample<Value> {
  readonly value: Value;
  readonly attributes?: Attributes;
}

/** Values that were counted. */
export interface Distribution {
  readonly count: number;
  readonly sum: number;
  /** How many of them do not exceed it. */
  countUpTo(bound: number): number;
}

interface Description {
  /** Of OpenTelemetry; see `prometheusName`. */
  readonly name: string;
  /** By UCUM, as OpenTelemetry has it: `s`, `1`, `{thread}`. */
  readonly unit: string;
  readonly help: string;
}

/** A number, or one by attributes; none where it is not known. Counters never go back. */
export interface NumberFamily extends Description {
  readonly type: 'counter' | 'gauge';
  samples(): readonly Sample<number>[];
}

export interface HistogramFamily extends Description {
  readonly type: 'histogram';
  samples(): readonly Sample<Distribution>[];
}

/** For exporters that take one value after another. */
export interface FollowedFamily extends HistogramFamily {
  /** @returns what hands over each value that is new since its last call */
  follow(): (record: (value: number, attributes: Attributes) => void) => void;
}

/** Upper bounds of all histograms, in seconds. */
export const BOUNDS: readonly number[] = [
  0.00001, 0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

const SUFFIXES: Readonly<Record<string, string>> = { s: '_seconds', '1': '_ratio' };

/** As OpenTelemetry's own exporters translate a name, so that one dashboard does for metrics of either way. */
export const prometheusName = ({ name, unit, type }: Description & { readonly type: string }): string =>
  `${underscored(name)}${SUFFIXES[unit] ?? ''}${type === 'counter' ? '_total' : ''}`;

export const underscored = (name: string): string => name.replaceAll('.', '_');
