import type { ThreadPoolMonitor } from '../host/monitor.js';
import { BOUNDS, CLASSES, GAUGES, NewWaits, OLDEST, oldestWait, WAIT } from './metrics.js';

/** What is used of a meter of `@opentelemetry/api`, so that its types need not be there. */
export interface Meter {
  createObservableGauge(name: string, options: InstrumentOptions): ObservableGauge;
  createHistogram(
    name: string,
    options: InstrumentOptions & { advice: { explicitBucketBoundaries: number[] } },
  ): { record(value: number, attributes: Record<string, string>): void };
}

interface InstrumentOptions {
  description: string;
  unit: string;
}

interface ObservableGauge {
  addCallback(callback: (result: ObservableResult) => void): void;
  removeCallback(callback: (result: ObservableResult) => void): void;
}

interface ObservableResult {
  observe(value: number, attributes?: Record<string, string>): void;
}

/** Of the two classes of jobs. */
const ATTRIBUTE = 'nodejs.threadpool.class';

/**
 * Gives the monitor's metrics to OpenTelemetry: `nodejs.threadpool.size`, `.busy`, `.utilization`, `.queue.length`,
 * `.queue.wait` (a histogram in seconds) and `.queue.wait.oldest`, the last two by class. The SDK must have been started: before
 * that its API gives meters that do nothing.
 *
 * @param meter of `@opentelemetry/api`: `metrics.getMeter('my-app')`
 * @returns what ends it
 */
export function observeWithOpenTelemetry(monitor: ThreadPoolMonitor, meter: Meter): () => void {
  const ends: (() => void)[] = [];
  const observe = (
    name: string,
    description: string,
    unit: string,
    callback: (result: ObservableResult) => void,
  ) => {
    const gauge = meter.createObservableGauge(name, { description, unit });
    gauge.addCallback(callback);
    ends.push(() => gauge.removeCallback(callback));
  };
  for (const { name, help, unit, of } of GAUGES) {
    observe(name, help, unit, (result) => {
      const value = of(monitor);
      if (value !== undefined) result.observe(value);
    });
  }
  const { name, help: description, unit } = WAIT;
  const advice = { explicitBucketBoundaries: [...BOUNDS] };
  const histogram = meter.createHistogram(name, { description, unit, advice });
  const fresh = CLASSES.map((jobClass) => ({ jobClass, waits: new NewWaits() }));
  observe(OLDEST.name, OLDEST.help, OLDEST.unit, (result) => {
    for (const { jobClass, waits } of fresh) {
      const attributes = { [ATTRIBUTE]: jobClass };
      result.observe(oldestWait(monitor, jobClass), attributes);
      // Histograms have no callback of their own; the SDK asks observables first, so these belong to the same collection.
      waits.each(monitor, jobClass, (seconds) => histogram.record(seconds, attributes));
    }
  });
  return () => {
    for (const end of ends) end();
  };
}
