import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { get } from 'node:http';
import { describe, test } from 'node:test';
import { createRandom, quantile } from '@plimsoll/lab';
import fc from 'fast-check';
import { poissonArrivals, regularArrivals } from '#studies/load/traffic/arrivals.js';
import { closedLoop } from '#studies/load/traffic/closed-loop.js';
import { type Ask, askFor } from '#studies/load/traffic/exchange.js';
import { sendOnSchedule } from '#studies/load/traffic/schedule.js';
import { fixture } from './cli.js';

const never = new AbortController().signal;
const patient = { mostInFlight: 1000, graceMs: 20_000 };
const answered = { failure: null };
/** One for all processes. */
const clock = (): number => Number(process.hrtime.bigint()) / 1e6;

async function withServer(
  delayMs: number,
  body: (base: string, server: ChildProcess) => Promise<void>,
): Promise<void> {
  const server = fork(fixture('servers/delays.mjs'), [String(delayMs)]);
  const gone = new Promise((resolve) => server.once('exit', resolve));
  try {
    const port = await new Promise((resolve) => server.once('message', resolve));
    await body(`http://127.0.0.1:${port}`, server);
  } finally {
    server.kill('SIGKILL');
    await gone;
  }
}

describe('Poisson arrivals', () => {
  test('ascend within the time, and are the same for the same seed', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2 ** 31 - 1 }),
        fc.double({ min: 0.1, max: 1000, noNaN: true }),
        (seed, rate) => {
          const arrivals = poissonArrivals(rate, 1000, createRandom(seed));
          assert.deepEqual(arrivals, poissonArrivals(rate, 1000, createRandom(seed)));
          for (const [index, at] of arrivals.entries())
            assert.ok(at >= (arrivals[index - 1] ?? 0) && at < 1000, `${at} at ${index}`);
        },
      ),
    );
  });

  test('come at the rate asked for, with gaps as far apart as independent users leave', () => {
    const arrivals = poissonArrivals(100, 100_000, createRandom(5));
    // 10,000 expected, with a standard deviation of 100.
    assert.ok(Math.abs(arrivals.length - 10_000) < 400, `${arrivals.length}`);
    const gaps = arrivals.slice(1).map((at, index) => at - (arrivals[index] as number));
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
    const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length;
    assert.ok(Math.abs(Math.sqrt(variance) / mean - 1) < 0.05, 'an exponential gap deviates by its mean');
  });
});

describe('an open loop', () => {
  for (const rate of [10, 500])
    test(`at ${rate} requests a second finds the latency that the server itself states`, async () => {
      await withServer(20, async (base) => {
        // 40 requests at least: at 10 a second that takes four seconds.
        const arrivals = poissonArrivals(rate, rate === 10 ? 4000 : 1500, createRandom(rate));
        /** Of each request, by the clock of the schedule, which began between these two moments. */
        const intendedMs: number[] = [];
        const answeredAt: number[] = [];
        const arrivedAt: number[] = [];
        let next = 0;
        const ask: Ask = () => {
          const intended = arrivals[next++] as number;
          return new Promise((resolve, reject) => {
            get(base, { agent: false }, (response) => {
              const at = Number(response.headers['x-answered']);
              response.resume().on('end', () => {
                intendedMs.push(intended);
                answeredAt.push(at);
                arrivedAt.push(clock());
                resolve(answered);
              });
            }).on('error', reject);
          });
        };
        const before = clock();
        const running = sendOnSchedule(ask, arrivals, patient, never);
        const after = clock();
        const outcome = await running;
        assert.equal(outcome.sent, arrivals.length);
        assert.equal(outcome.latenciesMs.length, arrivals.length);
        const since = (at: number[], started: number) =>
          at.map((ms, i) => ms - started - (intendedMs[i] ?? 0));
        // The server's statement ends before the answer's way back, which is long on a crowded machine only.
        for (const q of [0.5, 0.99]) {
          const [measured, stated] = [
            quantile(outcome.latenciesMs, q),
            quantile(since(answeredAt, after), q),
          ];
          assert.ok(measured > stated - 0.1, `p${q * 100}: ${measured} of ${stated}`);
        }
        // On a crowded machine the slowest of 40 may be stopped between two readings of the clock.
        const [measured, arrived] = [
          quantile(outcome.latenciesMs, 0.5),
          quantile(since(arrivedAt, before), 0.5),
        ];
        assert.ok(measured < arrived + 2, `${measured} of ${arrived}`);
        assert.ok(quantile(outcome.latenciesMs, 0.5) >= 19, 'the delay of 20 ms is in it');
      });
    });

  test('shows a stall of the server in p99, where a client that waits for answers shows nothing', async () => {
    const stalled = async (send: (ask: Ask) => Promise<{ latenciesMs: readonly number[] }>) => {
      let latenciesMs: readonly number[] = [];
      await withServer(0, async (base) => {
        await (await askFor(new URL('/stall', base)))(never);
        latenciesMs = (await send(await askFor(new URL(base)))).latenciesMs;
      });
      return latenciesMs;
    };
    // The server stops for 1 s at the 50th of 200 requests: some 100 come meanwhile, the first waits for nearly all of it.
    const open = await stalled((ask) =>
      sendOnSchedule(ask, poissonArrivals(100, 2000, createRandom(9)), patient, never),
    );
    assert.ok(quantile(open, 0.99) > 850, `p99 ${quantile(open, 0.99)}`);
    // A single client that paces itself by the answers sends one request into the stall: 1 of 300. What else is late is the machine.
    const paced = await stalled((ask) =>
      closedLoop(
        async (signal) => {
          await new Promise((resolve) => setTimeout(resolve, 8));
          return ask(signal);
        },
        { parallel: 1, requests: 300 },
        never,
      ),
    );
    assert.ok(Math.max(...paced) > 850, `the stall happened: ${Math.max(...paced)}`);
    assert.ok(quantile(paced, 0.99) < 850, `p99 ${quantile(paced, 0.99)}`);
  });

  test('counts what the client itself was late with as latency', async () => {
    const ask: Ask = async () => answered;
    setTimeout(() => {
      const end = performance.now() + 300;
      while (performance.now() < end);
    }, 100);
    const outcome = await sendOnSchedule(ask, poissonArrivals(100, 600, createRandom(1)), patient, never);
    assert.ok(Math.max(...outcome.latenciesMs) > 200, `${Math.max(...outcome.latenciesMs)}`);
    assert.ok(outcome.sentLate > 10, `${outcome.sentLate}`);
    assert.ok(Math.max(...outcome.lagsMs) > 200);
  });

  test('drops what is beyond the most in flight, and counts the age of what was never answered', async () => {
    const outcome = await sendOnSchedule(
      () => new Promise(() => {}),
      poissonArrivals(100, 500, createRandom(1)),
      { mostInFlight: 3, graceMs: 400 },
      never,
    );
    assert.equal(outcome.sent, 3);
    assert.ok(outcome.dropped > 10);
    assert.equal(outcome.unfinished, 3);
    assert.equal(outcome.latenciesMs.length, 3);
    // Sent at the beginning of 0.5 s, given up 0.4 s after its end.
    assert.ok(Math.min(...outcome.latenciesMs) > 400);
  });

  test('counts failures apart from latencies', async () => {
    let count = 0;
    const outcome = await sendOnSchedule(
      async () => ({ failure: ++count % 2 === 0 ? 'HTTP 500' : null }),
      [0, 1, 2, 3],
      patient,
      never,
    );
    assert.equal(outcome.failures, 2);
    assert.equal(outcome.firstFailure, 'HTTP 500');
    assert.equal(outcome.latenciesMs.length, 2);
  });

  test('ends at once when it is aborted, and when it is told to stop', async () => {
    const abort = new AbortController();
    const hanging: Ask = (signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve({ failure: 'aborted' })));
    const running = sendOnSchedule(hanging, regularArrivals(50), patient, abort.signal);
    setTimeout(() => abort.abort(), 100);
    await assert.rejects(running, { name: 'AbortError' });

    const stop = new AbortController();
    setTimeout(() => stop.abort(), 300);
    const stopped = await sendOnSchedule(
      async () => answered,
      regularArrivals(50),
      { ...patient, stop: stop.signal },
      never,
    );
    // Fifteen are due by then; a crowded machine wakes the sender less often, but it sends all that are due.
    assert.ok(stopped.sent >= 5, `${stopped.sent}`);
  });
});

describe('a closed loop', () => {
  test('has each client wait for its answer before it asks again', async () => {
    let inFlight = 0;
    let most = 0;
    let asked = 0;
    const ask: Ask = async () => {
      asked++;
      most = Math.max(most, ++inFlight);
      await new Promise((resolve) => setTimeout(resolve, 2));
      inFlight--;
      return answered;
    };
    const outcome = await closedLoop(ask, { parallel: 15, requests: 5 }, never);
    assert.equal(asked, 75);
    assert.equal(outcome.sent, 75);
    assert.equal(outcome.latenciesMs.length, 75);
    assert.equal(most, 15);
  });
});

describe('a request', () => {
  test('that is refused, reset or answered with an error says so', async () => {
    const refused = await askFor(new URL('http://127.0.0.1:1/'));
    assert.deepEqual(await refused(never), { failure: 'ECONNREFUSED' });
  });

  test('looks its name up once', async () => {
    await withServer(0, async (base) => {
      const ask = await askFor(new URL(base.replace('127.0.0.1', 'localhost')));
      assert.deepEqual(await ask(never), answered);
    });
  });
});
