import { type Meter, observeFamilies } from '../../monitor/dist/metrics/opentelemetry.js';
import { type Source, textOf } from '../../monitor/dist/metrics/prometheus.js';
import { badRange, badType } from './errors.js';
import type { Core } from './host/core.js';
import { histogramsOf, numbersOf, summariesOf } from './observe/families.js';
import { TaskPhases } from './observe/phases.js';
import type { Explanation } from './observe/types.js';

export type { Meter } from '../../monitor/dist/metrics/opentelemetry.js';
export { prometheusContentType } from '../../monitor/dist/metrics/prometheus.js';
export type { Advice, Explanation, Phase, Spread, TaskExplanation } from './observe/types.js';

/** A pool, as far as `observe()` needs it. */
export interface Observed {
  readonly duration: number;
}

const observers = new WeakMap<object, Observer>();

/**
 * What a pool reports beyond its properties. Call it right after the pool was made, so that the observer knows every
 * task. Further calls return the same observer.
 *
 * @throws TypeError with code PLIMSOLL_POOL_BAD_OPTION for anything but a pool
 * @example
 * import { observe } from '@plimsoll/pool/observe';
 *
 * const observer = observe(new Pool({ filename, explain: true }));
 */
export function observe(pool: Observed): Observer {
  const core = (Object(pool) as { core?: Core }).core;
  if (core?.slots === undefined) throw badType('pool', pool, 'a pool');
  const observer = observers.get(core) ?? new Observer(core);
  observers.set(core, observer);
  return observer;
}

/**
 * The metrics of several pools as one text for Prometheus: every sample has the label `pool`, the name of its pool in
 * the object.
 *
 * @throws TypeError with code PLIMSOLL_POOL_BAD_OPTION for anything but pools
 * @example
 * response.end(prometheusText({ images, reports }));
 */
export const prometheusText = (pools: Readonly<Record<string, Observed>>): string =>
  textOf(Object.entries(pools).map(([pool, observed]) => observe(observed).source({ pool })));

class Observer {
  readonly #core: Core;
  readonly #phases: TaskPhases | undefined;

  /** @internal */
  constructor(core: Core) {
    this.#core = core;
    this.#phases = core.marks && new TaskPhases(core, core.marks);
    core.hooks = this.#phases;
  }

  /**
   * Where the time of tasks went, by function, and what to change about it. Needs the pool's option `explain`.
   *
   * @throws RangeError with code PLIMSOLL_POOL_BAD_OPTION without `explain`
   * @example
   * for (const { id, message } of observe(pool).explain().advice) console.log(id, message);
   */
  explain(): Explanation {
    if (this.#phases === undefined)
      throw badRange('options.explain', this.#core.options.explain, 'true for explain()');
    return this.#phases.explain();
  }

  /**
   * The metrics of the pool as text for Prometheus: counts of tasks and workers, and histograms of wait and run times,
   * which no reset affects; with `explain`, also by function. For several pools, use `prometheusText`.
   *
   * @example
   * response.setHeader('content-type', prometheusContentType);
   * response.end(observe(pool).prometheusMetrics());
   */
  prometheusMetrics(): string {
    return textOf([this.source({})]);
  }

  /** @internal */
  source(labels: Readonly<Record<string, string>>): Source {
    const [core, breakdowns] = [this.#core, this.#breakdowns];
    return { families: [...numbersOf(core, breakdowns), ...histogramsOf(core, breakdowns)], labels };
  }

  /**
   * Reports the same metrics to OpenTelemetry until the pool is closed. Start the SDK first: before that, its API gives
   * meters that do nothing.
   *
   * @param meter of `@opentelemetry/api`, such as `metrics.getMeter('my-app')`; default: the meter `@plimsoll/pool` of
   *   the pool's `openTelemetry`
   * @returns a function that ends the reports
   * @throws TypeError with code PLIMSOLL_POOL_BAD_OPTION for anything but a meter
   */
  openTelemetryMetrics(
    meter: Meter = this.#core.openTelemetry?.metrics.getMeter('@plimsoll/pool') as Meter,
  ): () => void {
    if (typeof meter?.createObservableGauge !== 'function')
      throw badType('meter', meter, 'a meter of @opentelemetry/api');
    const { onClosed, ended } = this.#core;
    if (ended) return () => {};
    const families = [...numbersOf(this.#core, this.#breakdowns), ...summariesOf(this.#core)];
    const end = observeFamilies(families, meter);
    onClosed.add(end);
    return () => {
      onClosed.delete(end);
      end();
    };
  }

  readonly #breakdowns = () => this.#phases?.breakdowns ?? [];
}

export type { Observer };
