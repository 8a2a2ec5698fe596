import { type Attributes, BOUNDS, type FollowedFamily, type NumberFamily } from './family.js';

/** The used part of an `@opentelemetry/api` meter, so that its types need not be installed. */
export interface Meter {
  createObservableGauge(name: string, options: InstrumentOptions): unknown;
  createObservableCounter(name: string, options: InstrumentOptions): unknown;
  createHistogram(
    name: string,
    options: InstrumentOptions & { advice: { explicitBucketBoundaries: number[] } },
  ): { record(value: number, attributes: Record<string, string>): void };
  addBatchObservableCallback(callback: (result: Observations) => void, observables: never[]): void;
  removeBatchObservableCallback(callback: (result: Observations) => void, observables: never[]): void;
}

interface InstrumentOptions {
  description: string;
  unit: string;
}

interface Observations {
  observe(observable: never, value: number, attributes?: Attributes): void;
}

/**
 * Exports families to OpenTelemetry. Start its SDK first: before that, its API returns meters without effect.
 *
 * @returns a function that stops the export
 */
export function observeFamilies(
  families: readonly (NumberFamily | FollowedFamily)[],
  meter: Meter,
): () => void {
  const observables: never[] = [];
  const reports = families.map((family): ((result: Observations) => void) => {
    const { name, unit, help: description } = family;
    if (family.type === 'histogram') {
      const advice = { explicitBucketBoundaries: [...BOUNDS] };
      const instrument = meter.createHistogram(name, { description, unit, advice });
      const each = family.follow();
      // OpenTelemetry has no observable histograms; its SDK calls back before it collects their values.
      return () => each((value, attributes) => instrument.record(value, attributes));
    }
    const create = family.type === 'counter' ? 'createObservableCounter' : 'createObservableGauge';
    const observable = meter[create](name, { description, unit }) as never;
    observables.push(observable);
    return (result) => {
      for (const { value, attributes } of family.samples()) result.observe(observable, value, attributes);
    };
  });
  const callback = (result: Observations): void => {
    for (const report of reports) report(result);
  };
  meter.addBatchObservableCallback(callback, observables);
  return () => meter.removeBatchObservableCallback(callback, observables);
}
