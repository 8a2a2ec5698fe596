/** Distinguishes the samples of a family: OpenTelemetry attributes, Prometheus labels. */
export type Attributes = Readonly<Record<string, string>>;

export interface Sample<Value> {
  readonly value: Value;
  readonly attributes?: Attributes;
}

export interface Distribution {
  readonly count: number;
  readonly sum: number;
  /** Returns how many values do not exceed `bound`. */
  countUpTo(bound: number): number;
}

interface Description {
  /** OpenTelemetry's name; `prometheusName` translates it. */
  readonly name: string;
  /** In UCUM, as in OpenTelemetry: `s`, `1`, `{thread}`. */
  readonly unit: string;
  readonly help: string;
}

/** One number, or one per set of attributes; no samples if unknown. Counters never decrease. */
export interface NumberFamily extends Description {
  readonly type: 'counter' | 'gauge';
  samples(): readonly Sample<number>[];
}

export interface HistogramFamily extends Description {
  readonly type: 'histogram';
  samples(): readonly Sample<Distribution>[];
}

/** For exporters that record single values. */
export interface FollowedFamily extends HistogramFamily {
  /** @returns a function that passes on each value since its last call */
  follow(): (record: (value: number, attributes: Attributes) => void) => void;
}

/** Upper bucket bounds of all histograms, in seconds. */
export const BOUNDS: readonly number[] = [
  0.00001, 0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

const SUFFIXES: Readonly<Record<string, string>> = { s: '_seconds', '1': '_ratio' };

/** Translates a name as OpenTelemetry's exporters do, so that one dashboard serves both. */
export const prometheusName = ({ name, unit, type }: Description & { readonly type: string }): string =>
  `${underscored(name)}${SUFFIXES[unit] ?? ''}${type === 'counter' ? '_total' : ''}`;

export const underscored = (name: string): string => name.replaceAll('.', '_');
