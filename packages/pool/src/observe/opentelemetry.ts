import { badType } from '../errors.js';
import type { Core } from '../host/core.js';
import { type Breakdown, PHASES } from './breakdown.js';
import { FAMILIES, PHASE_HELP, TIMES } from './families.js';

/** What is used of a meter of `@opentelemetry/api`, so that its types need not be there. */
export interface Meter {
  createObservableGauge(name: string, options: InstrumentOptions): Observable;
  createObservableCounter(name: string, options: InstrumentOptions): Observable;
}

interface InstrumentOptions {
  description: string;
  unit: string;
}

interface Observable {
  addCallback(callback: (result: ObservableResult) => void): void;
  removeCallback(callback: (result: ObservableResult) => void): void;
}

interface ObservableResult {
  observe(value: number, attributes?: Record<string, string | number>): void;
}

const QUANTILES = [0.5, 0.99] as const;

/**
 * Gives a pool's metrics to OpenTelemetry. Times are sums and quantiles: its histograms take one value after another, which for a
 * million tasks a second would cost more than the tasks.
 * @returns what ends it
 */
export function meterMetrics(core: Core, breakdowns: () => readonly Breakdown[], meter: Meter): () => void {
  if (typeof meter?.createObservableGauge !== 'function') {
    throw badType('meter', meter, 'a meter of @opentelemetry/api');
  }
  const { timing } = core;
  const ends: (() => void)[] = [];
  const add = (
    type: 'counter' | 'gauge',
    name: string,
    description: string,
    unit: string,
    callback: (result: ObservableResult) => void,
  ): void => {
    const create = type === 'counter' ? 'createObservableCounter' : 'createObservableGauge';
    const instrument = meter[create](name, { description, unit });
    instrument.addCallback(callback);
    ends.push(() => instrument.removeCallback(callback));
  };
  for (const { name, type, help, of } of FAMILIES) {
    const unit = name.includes('.workers') ? '{thread}' : '{task}';
    add(type, name, help, unit, (result) => result.observe(of(core)));
  }
  for (const { kind, name, help } of TIMES) {
    add('counter', `${name}.sum`, help, 's', (result) => {
      if (timing !== undefined) result.observe(timing.ever(kind).sum / 1e3);
    });
    add('gauge', `${name}.quantile`, help, 's', (result) => {
      const times = timing?.since(kind);
      if (times === undefined || times.count === 0) return;
      for (const quantile of QUANTILES) result.observe(times.percentile(quantile * 100) / 1e3, { quantile });
    });
  }
  add('counter', 'plimsoll.pool.task.phase', PHASE_HELP, 's', (result) => {
    for (const { name, filename, phases } of breakdowns()) {
      for (const phase of PHASES)
        result.observe(phases[phase].sum / 1e3, { task: name, file: filename, phase });
    }
  });
  return () => {
    for (const end of ends.splice(0)) end();
  };
}
