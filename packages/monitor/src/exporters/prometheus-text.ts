import { logs, type ThreadPoolMonitor } from '../host/monitor.js';
import { BUCKETS, middleOf } from '../shared/buckets.js';
import { BOUNDS, CLASSES, GAUGES, type JobClass, OLDEST, oldestWait, WAIT } from './metrics.js';

/** Content-Type of `prometheusText()`. */
export const prometheusContentType = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * What the monitor knows, in the text format of Prometheus, version 0.0.4: gauges, where the platform tells, and a histogram
 * of waits with the label `class` (fast, slow) that no `reset()` touches.
 *
 * @example
 * response.setHeader('content-type', prometheusContentType);
 * response.end(prometheusText(monitor));
 */
export function prometheusText(monitor: ThreadPoolMonitor): string {
  const lines = GAUGES.flatMap(({ prometheus, help, of }) => {
    const value = of(monitor);
    return value === undefined ? [] : family(prometheus, 'gauge', help, [`${prometheus} ${value}`]);
  });
  const oldest = CLASSES.map(
    (jobClass) => `${OLDEST.prometheus}{class="${jobClass}"} ${oldestWait(monitor, jobClass)}`,
  );
  const waits = CLASSES.flatMap((jobClass) => histogram(monitor, jobClass));
  lines.push(
    ...family(OLDEST.prometheus, 'gauge', OLDEST.help, oldest),
    ...family(WAIT.prometheus, 'histogram', WAIT.help, waits),
  );
  return `${lines.join('\n')}\n`;
}

function family(name: string, type: string, help: string, samples: readonly string[]): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples];
}

function histogram(monitor: ThreadPoolMonitor, jobClass: JobClass): string[] {
  const totals = logs(monitor)[jobClass].totals();
  const upTo = BOUNDS.map(() => 0);
  let count = 0;
  let total = 0;
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const fresh = totals[bucket] as number;
    if (fresh === 0) continue;
    const seconds = middleOf(bucket) / 1e9;
    count += fresh;
    total += fresh * seconds;
    for (let index = BOUNDS.length - 1; index >= 0 && seconds <= (BOUNDS[index] as number); index--)
      upTo[index] = (upTo[index] as number) + fresh;
  }
  const label = `class="${jobClass}"`;
  return [
    ...BOUNDS.map((bound, index) => `${WAIT.prometheus}_bucket{${label},le="${bound}"} ${upTo[index]}`),
    `${WAIT.prometheus}_bucket{${label},le="+Inf"} ${count}`,
    `${WAIT.prometheus}_sum{${label}} ${total}`,
    `${WAIT.prometheus}_count{${label}} ${count}`,
  ];
}
