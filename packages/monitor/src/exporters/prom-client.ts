import type { ThreadPoolMonitor } from '../host/monitor.js';
import { BOUNDS, CLASSES, GAUGES, NewWaits, OLDEST, oldestWait, WAIT } from './metrics.js';

/** What is used of prom-client, so that its types need not be there. */
export interface PromClient<Registry> {
  readonly Gauge: new (options: Metric<Registry, PromGauge>) => unknown;
  readonly Histogram: new (options: Metric<Registry, PromHistogram> & { buckets: number[] }) => unknown;
  readonly register: Registry;
}

interface Metric<Registry, Self> {
  name: string;
  help: string;
  labelNames: string[];
  registers: Registry[];
  collect(this: Self): void;
}

interface PromGauge {
  set(labels: Record<string, string>, value: number): void;
  reset(): void;
}

interface PromHistogram {
  observe(labels: Record<string, string>, value: number): void;
}

/**
 * Registers the monitor's metrics with prom-client, under the names of `prometheusText()`.
 *
 * @param client the module: `import * as client from 'prom-client'`
 * @param registry Default: the module's own.
 * @throws Error of prom-client when the registry has a metric of that name
 */
export function registerWithPromClient<Registry>(
  monitor: ThreadPoolMonitor,
  client: PromClient<Registry>,
  registry: Registry = client.register,
): void {
  const registers = [registry];
  for (const { prometheus: name, help, of } of GAUGES) {
    new client.Gauge({
      ...{ name, help, labelNames: [], registers },
      collect() {
        // NaN is what Prometheus takes for unknown.
        this.set({}, of(monitor) ?? Number.NaN);
      },
    });
  }
  new client.Gauge({
    ...{ name: OLDEST.prometheus, help: OLDEST.help, labelNames: ['class'], registers },
    collect() {
      for (const jobClass of CLASSES) this.set({ class: jobClass }, oldestWait(monitor, jobClass));
    },
  });
  const fresh = CLASSES.map((jobClass) => ({ jobClass, waits: new NewWaits() }));
  new client.Histogram({
    ...{ name: WAIT.prometheus, help: WAIT.help, labelNames: ['class'], registers, buckets: [...BOUNDS] },
    collect() {
      for (const { jobClass, waits } of fresh)
        waits.each(monitor, jobClass, (seconds) => this.observe({ class: jobClass }, seconds));
    },
  });
}
