import type { ThreadPoolMonitor } from '../host/monitor.js';
import { BOUNDS, prometheusName, underscored } from '../metrics/family.js';
import { familiesOf } from './families.js';

type Labels = Record<string, string>;

/** The used part of prom-client, so that its types need not be installed. */
export interface PromClient<Registry> {
  readonly Counter: Metric<Registry, { inc(labels: Labels, value: number): void; reset(): void }>;
  readonly Gauge: Metric<Registry, { set(labels: Labels, value: number): void }>;
  readonly Histogram: Metric<Registry, { observe(labels: Labels, value: number): void }>;
  readonly register: Registry;
}

type Metric<Registry, Self> = new (options: {
  name: string;
  help: string;
  labelNames: string[];
  registers: Registry[];
  buckets: number[];
  collect(this: Self): void;
}) => unknown;

/**
 * Registers the monitor's metrics with prom-client, under the names of `prometheusText()`.
 *
 * @param client the module: `import * as client from 'prom-client'`
 * @param registry default: the default registry of prom-client
 * @throws Error from prom-client if the registry already has a metric with one of these names
 * @example
 * registerWithPromClient(monitor, client);
 */
export function registerWithPromClient<Registry>(
  monitor: ThreadPoolMonitor,
  { Counter, Gauge, Histogram, register }: PromClient<Registry>,
  registry: Registry = register,
): void {
  for (const family of familiesOf(monitor)) {
    const labelNames = Object.keys(family.samples()[0]?.attributes ?? {}).map(underscored);
    const described = { name: prometheusName(family), help: family.help, labelNames };
    const options = { ...described, registers: [registry], buckets: [...BOUNDS] };
    if (family.type === 'histogram') {
      const each = family.follow();
      new Histogram({
        ...options,
        collect() {
          each((value, attributes) => this.observe(labelsOf(attributes), value));
        },
      });
    } else if (family.type === 'counter')
      new Counter({
        ...options,
        collect() {
          this.reset();
          for (const { value, attributes } of family.samples()) this.inc(labelsOf(attributes), value);
        },
      });
    else
      new Gauge({
        ...options,
        collect() {
          // NaN means unknown in Prometheus.
          const known = family.samples();
          for (const { value, attributes } of known.length > 0 ? known : [{ value: Number.NaN }])
            this.set(labelsOf(attributes), value);
        },
      });
  }
}

const labelsOf = (attributes: Labels = {}): Labels =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [underscored(name), value]));
