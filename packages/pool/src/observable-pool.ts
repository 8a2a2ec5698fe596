import { badRange } from './errors.js';
import { explanationOf } from './host/explain/explanation.js';
import type { Explanation } from './host/explain/types.js';
import { type Meter, observe } from './host/metrics/opentelemetry.js';
import { type MetricsOptions, prometheusText } from './host/metrics/prometheus-text.js';
import type { FilledOptions } from './host/options.js';
import { PoolBase } from './pool-base.js';

/** What a pool tells of itself beyond Piscina's statistics. */
export abstract class ObservablePool extends PoolBase {
  readonly #endMetrics: (() => void) | undefined;

  protected constructor(name: string, options: FilledOptions) {
    super(name, options);
    const meter = this.core.openTelemetry?.metrics.getMeter('@plimsoll/pool');
    this.#endMetrics = meter === undefined ? undefined : observe(this.core, meter as Meter);
  }

  protected override sayDestroyed(): void {
    this.#endMetrics?.();
    super.sayDestroyed();
  }

  /**
   * Where the time of tasks went, by function, and what should be changed for it. Needs the option `explain`.
   *
   * @throws RangeError with code PLIMSOLL_POOL_BAD_OPTION without that
   * @example
   * for (const { id, message } of pool.explain().advice) console.log(id, message);
   */
  explain(): Explanation {
    const { observer, options } = this.core;
    if (observer === undefined) throw badRange('options.explain', options.explain, 'true for explain()');
    return explanationOf(this.core, observer);
  }

  /**
   * What the pool knows of itself, in the text format of Prometheus: counts of tasks and workers, and histograms of wait and run
   * times, which no reset touches; with `explain`, also by function.
   *
   * @throws TypeError or RangeError with code PLIMSOLL_POOL_BAD_OPTION for bad labels
   * @example
   * response.setHeader('content-type', prometheusContentType);
   * response.end(pool.metrics({ labels: { pool: 'images' } }));
   */
  metrics(options: MetricsOptions = {}): string {
    return prometheusText(this.core, options);
  }

  /**
   * Gives what `metrics()` has to OpenTelemetry. The SDK must have been started: before that its API gives meters that do nothing.
   *
   * @param meter of `@opentelemetry/api`: `metrics.getMeter('my-app')`
   * @returns what ends it
   * @throws TypeError with code PLIMSOLL_POOL_BAD_OPTION for anything but a meter
   */
  observe(meter: Meter): () => void {
    return observe(this.core, meter);
  }
}
