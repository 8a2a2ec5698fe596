import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { watchLoopDelay } from '@plimsoll/lab/child';
import { ALL } from '../contenders/contenders.js';
import { requestRegularly } from '../support/http-client.js';
import { checkSum, makeSum } from '../support/small-tasks.js';
import { sustain } from '../support/sustain.js';
import type { Case } from './case.js';

const IN_FLIGHT = 1000;
const TIMER_MS = 10;

export const eventLoop: Case = {
  name: 'event-loop',
  title: "The host's event loop while small tasks stay in flight",
  description:
    'Two workers, 1,000 tasks in flight. Meanwhile: how late a timer due at a random moment fires (from the gaps of a ' +
    '1 ms sampler, weighted by time), how late an interval of 10 ms fires in fact, and how long a loopback HTTP server in ' +
    'the host takes to answer another process that asks every 10 ms, counted from the moment it meant to ask. All three ' +
    'processes and threads share the cores.',
  contenders: ALL,
  metrics: [
    { id: 'delay', title: 'event-loop delay p99 ms', better: 'less', digits: 2 },
    { id: 'timer', title: 'timer p99 ms', better: 'less', digits: 2 },
    { id: 'http50', title: 'HTTP p50 ms', better: 'less', digits: 2 },
    { id: 'http99', title: 'HTTP p99 ms', better: 'less', digits: 2 },
    { id: 'rate', title: 'tasks/s meanwhile', better: 'more', digits: 0 },
  ],
  targets: [
    { kind: 'value', metric: 'delay', unit: 'ms', atMost: 5 },
    // "Keep answering" as a figure: within a tenth of a second, which people take for at once.
    { kind: 'value', metric: 'timer', unit: 'ms timer', atMost: 100 },
    { kind: 'value', metric: 'http99', unit: 'ms HTTP', atMost: 100 },
  ],
  expectedMs: { full: 3300, quick: 1900, smoke: 800 },

  async measure({ open, effort }) {
    const warmUpMs = { full: 500, quick: 300, smoke: 50 }[effort];
    const ms = { full: 2000, quick: 1000, smoke: 100 }[effort];
    const pool = open({ task: 'add', threads: 2 });
    const server = createServer((_, response) => response.end('ok'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const client = await requestRegularly((server.address() as AddressInfo).port);

    const lateness: number[] = [];
    let loop: ReturnType<typeof watchLoopDelay> | undefined;
    let timer: NodeJS.Timeout | undefined;
    const watched = setTimeout(() => {
      loop = watchLoopDelay();
      client.begin(ms * 0.9);
      let last = performance.now();
      timer = setInterval(() => {
        const now = performance.now();
        lateness.push(Math.max(0, now - last - TIMER_MS));
        last = now;
      }, TIMER_MS);
    }, warmUpMs);
    const { tasksPerSecond } = await sustain({
      run: pool.run,
      make: makeSum,
      check: checkSum,
      inFlight: IN_FLIGHT,
      warmUpMs,
      ms,
    });
    const delay = loop?.stop().p99 ?? ms;
    clearTimeout(watched);
    clearInterval(timer);
    const latencies = await client.end();
    server.close();
    // Only now, lest anything but the contender be loaded while it is measured.
    const { quantile } = await import('@plimsoll/lab');
    return {
      delay,
      // A timer that never fired was late all the time.
      timer: lateness.length === 0 ? ms : quantile(lateness, 0.99),
      http50: latencies.length === 0 ? ms : quantile(latencies, 0.5),
      http99: latencies.length === 0 ? ms : quantile(latencies, 0.99),
      rate: tasksPerSecond,
    };
  },
};
