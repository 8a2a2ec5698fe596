// autocannon in a process of its own, one round for each order: a closed loop, whose every connection asks again as soon as it
// has been answered.

import { quantile } from '@plimsoll/lab';
import autocannon from 'autocannon';

export interface Order {
  readonly url: string;
  readonly connections: number;
  readonly warmUpMs: number;
  readonly ms: number;
}

export type Report =
  | { readonly type: 'warm' }
  | {
      readonly type: 'done';
      readonly rate: number;
      readonly mean: number;
      readonly p50: number;
      readonly p99: number;
      readonly answers: number;
      /** Connections that were answered at least once. */
      readonly served: number;
      readonly errors: number;
      /** Of this process since it was started. */
      readonly cpuSeconds: number;
    }
  /** Nothing was answered while it measured. */
  | { readonly type: 'unanswered' }
  /** Its connections are closed. */
  | { readonly type: 'over' };

const say = (report: Report): void => void process.send?.(report);

process.on('message', ({ url, connections, warmUpMs, ms }: Order) => {
  const latencies: number[] = [];
  const served = new Set<object>();
  let errors = 0;
  let begun = 0;
  // It is stopped by hand: its own seconds begin before the server is warm.
  const instance = autocannon({ url, connections, duration: 3600, timeout: 3600 }, () =>
    say({ type: 'over' }),
  );
  instance.on('response', (connection, status, _, latency) => {
    if (status !== 200) errors++;
    else if (begun > 0) {
      latencies.push(latency);
      served.add(connection);
    }
  });
  instance.on('reqError', () => errors++);
  setTimeout(() => {
    begun = performance.now();
    say({ type: 'warm' });
  }, warmUpMs);
  setTimeout(() => {
    instance.stop();
    if (latencies.length === 0) return say({ type: 'unanswered' });
    const seconds = (performance.now() - begun) / 1000;
    const { user, system } = process.cpuUsage();
    say({
      type: 'done',
      rate: latencies.length / seconds,
      mean: latencies.reduce((sum, latency) => sum + latency, 0) / latencies.length,
      p50: quantile(latencies, 0.5),
      p99: quantile(latencies, 0.99),
      answers: latencies.length,
      served: served.size,
      errors,
      cpuSeconds: (user + system) / 1e6,
    });
  }, warmUpMs + ms);
});
