import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type AdviseOptions, advise as predict } from '#plimsoll/advise/advise.js';
import { askedBy } from '#plimsoll/advise/clients.js';
import { estimate } from '#plimsoll/advise/estimate.js';
import { stepsOf } from '#plimsoll/advise/steps.js';
import { verification } from '#plimsoll/advise/verify.js';
import { NO_CHANGE } from '#plimsoll/advise/what-if.js';
import { requestsIn } from '#plimsoll/model/request-measures.js';
import { simulate } from '#plimsoll/model/simulate.js';
import { adviceReport } from '#plimsoll/report/advise.js';
import { adviceOf } from '#plimsoll/report/findings/advise.js';
import { plainStyle } from '#plimsoll/report/style.js';
import { type Advice, adviceSchema, type Prediction } from '#plimsoll/results/advice.js';
import type { Trace, TracedRequest } from '#plimsoll/results/trace.js';
import { createRandom } from '#plimsoll/stats/random.js';
import type { SimpleRequest } from '../support/request-work.js';
import { requestTraceOf } from '../support/trace.js';
import { AMPLE } from '../support/workload.js';

const SIZES = [1, 2, 4, 8, 16];
const options: AdviseOptions = { sizes: SIZES, objective: 'mean', whatIf: NO_CHANGE, seed: 1 };
const machine = { ...AMPLE, cores: 2 };
const advise = (trace: Trace, changes: Partial<AdviseOptions> = {}): Advice =>
  adviceOf(predict(trace, { ...options, ...changes }));
const at = ({ predictions }: Advice, size: number): Prediction =>
  predictions.find((prediction) => prediction.size === size) as Prediction;
const near = (value: number, expected: number, share: number): void =>
  assert.ok(Math.abs(value / expected - 1) < share, `${value} is not ${expected} within ${100 * share} %`);

const random = createRandom(9);
const exponential = (mean: number): number => -Math.log(1 - random.next()) * mean;
const stream = (count: number, gapMs: number, request: (index: number) => SimpleRequest): SimpleRequest[] => {
  let now = 0;
  return Array.from({ length: count }, (_, index) => {
    now += exponential(gapMs);
    return { ...request(index), at: now };
  });
};

/** Reads and hashes side by side, then a last read; and a route that only waits. */
const mixed = stream(240, 12, (index) =>
  index % 3 === 0
    ? { route: 'GET /wait', jobs: [{ blocked: 6 }] }
    : { route: 'GET /mix', jobs: [{ blocked: 8 }, { cpu: 5 }, { blocked: 4, after: [0, 1] }], delay: 2 },
);
const recorded = requestTraceOf(mixed, 4, machine);

/** Twenty clients, each of whose requests is a hash of 14 ms on two cores. */
const clients = (count = 400): SimpleRequest[] =>
  Array.from({ length: count }, (_, index) => ({
    route: 'POST /login',
    jobs: [{ cpu: 14 }],
    ...(index < 20 ? { isFirst: true, at: index } : { think: 0.4 }),
  }));
const closed = requestTraceOf(clients(), 4, machine);

describe('requests from a trace', () => {
  test('the recorded ones come out again at the recorded size', () => {
    const { workload, size, measured } = estimate(recorded);
    const again = requestsIn(workload, simulate(workload, { size, machine }));
    assert.equal(again?.routes.length, 2);
    near(again?.latencyMs.mean ?? 0, measured.requests?.latencyMs.mean ?? 0, 0.05);
    near(again?.latencyMs.p99 ?? 0, measured.requests?.latencyMs.p99 ?? 0, 0.1);
  });

  test('what a request joins waits for all of it: at another size, too, it takes what the planted one does', () => {
    const { workload } = estimate(recorded);
    for (const size of [1, 2, 16]) {
      const predicted = requestsIn(workload, simulate(workload, { size, machine }))?.latencyMs.mean ?? 0;
      const real = estimate(requestTraceOf(mixed, size, machine)).measured.requests?.latencyMs.mean ?? 0;
      near(predicted, real, 0.08);
    }
  });

  test('their end waits for all that leads to nothing else, not just for the last of it', () => {
    const pair = { at: 0, jobs: [{ blocked: 10 }, { blocked: 8 }, { blocked: 9 }], delay: 1 };
    const [process] = requestTraceOf([pair], 4, machine).processes;
    const [{ end } = assert.fail()] = stepsOf(process ?? assert.fail(), 0).requests;
    assert.deepEqual(
      [end.parent, ...end.joins].map((step) => step?.index),
      [0, 1, 2],
    );
  });

  test('of which only arrival and end were recorded do what others of their route did', () => {
    const sampled = estimate(requestTraceOf(mixed, 4, machine, (request) => request % 4 < 2));
    const whole = estimate(recorded);
    const jobs = ({ kinds }: typeof whole): number => kinds.filter((kind) => kind !== '').length;
    near(jobs(sampled), jobs(whole), 0.1);
    const mean = ({ workload }: typeof whole): number =>
      requestsIn(workload, simulate(workload, { size: 1, machine }))?.latencyMs.mean ?? 0;
    assert.equal(sampled.workload.requests?.end.length, 240);
    near(mean(sampled), mean(whole), 0.25);
  });

  test('requests that never end are load, and no latency', () => {
    const [process] = recorded.processes;
    const requests = (process?.requests ?? []).map(
      (one, index): TracedRequest => (index % 10 === 0 ? { ...one, endMs: null, end: 'unfinished' } : one),
    );
    const advice = advise({
      ...recorded,
      processes: [{ ...(process as Trace['processes'][number]), requests }],
    });
    assert.equal(advice.trace.requests?.unanswered, 24);
    const counts = at(advice, 4).requests?.routes.map(({ count }) => count) ?? [];
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      216,
    );
  });
});

describe('clients', () => {
  const plain = (startMs: number, endMs: number, connection: number | null): TracedRequest => ({
    kind: 'http',
    route: 'GET /',
    connection,
    loopThread: 1,
    startMs,
    endMs,
    end: 'answered',
    sampled: true,
  });
  const fromClients = (requests: readonly TracedRequest[]): number =>
    askedBy(requests).filter(({ group }) => group !== null).length;

  test('who asks again right after each answer, on one connection, is one', () => {
    const asked = askedBy(closed.processes[0]?.requests ?? []);
    assert.equal(asked.filter(({ group }) => group !== null).length, 400);
    assert.equal(asked.filter(({ thinkMs }) => thinkMs === null).length, 20);
    for (const { thinkMs } of asked) assert.ok(thinkMs === null || Math.abs(thinkMs - 0.4) < 5, `${thinkMs}`);
  });

  test('who opens a connection for each request is one when as many are always under way', () => {
    const requests = Array.from({ length: 90 }, (_, index) => {
      const startMs = Math.floor(index / 3) * 21 + 7 * (index % 3);
      return plain(startMs, startMs + 20.8, index);
    });
    assert.equal(fromClients(requests), 90);
  });

  test('who thinks for the same time after each answer is one, however long that is', () => {
    const requests = Array.from({ length: 8 }, (_, connection) => {
      let now = connection * 13;
      return Array.from({ length: 10 }, () => {
        const startMs = now;
        const endMs = startMs + 5 + 10 * random.next();
        now = endMs + 100 + random.next();
        return plain(startMs, endMs, connection);
      });
    }).flat();
    assert.equal(fromClients(requests), 80);
  });

  test('an open stream over connections that are used again is none', () => {
    const free: { connection: number; endMs: number }[] = [];
    let now = 0;
    let connections = 0;
    const requests = Array.from({ length: 300 }, () => {
      now += exponential(10);
      const idle = free.findLastIndex(({ endMs }) => endMs <= now);
      const connection = idle === -1 ? connections++ : (free.splice(idle, 1)[0]?.connection ?? 0);
      const endMs = now + 4 + 12 * random.next();
      free.push({ connection, endMs });
      return plain(now, endMs, connection);
    });
    assert.ok(fromClients(requests) < 30, `${fromClients(requests)} of 300`);
  });

  test('a connection that asks at set times is none', () => {
    const requests = Array.from({ length: 40 }, (_, index) =>
      plain(50 * index, 50 * index + 5 + 20 * random.next(), 1),
    );
    assert.equal(fromClients(requests), 0);
  });
});

describe('advice by what users feel', () => {
  test('an express server with bcrypt and twenty clients: throughput follows the threads, and the bands are narrow', () => {
    const advice = adviceSchema.parse(advise(closed));
    const of = (size: number) => at(advice, size).requests;
    // One core's worth of hashes a second with one thread, two with more.
    near(of(1)?.perSecond ?? 0, 1000 / 14, 0.05);
    near(of(4)?.perSecond ?? 0, 2000 / 14, 0.05);
    // Little's law: twenty clients, nearly all of them waiting.
    near(of(1)?.latencyMs.mean ?? 0, 20 * 14, 0.08);
    for (const size of [1, 2, 4, 16]) {
      const { requests, low, high } = at(advice, size);
      const mean = requests?.latencyMs.mean ?? 0;
      const width = ((high.requests?.latencyMs.mean ?? 0) - (low.requests?.latencyMs.mean ?? 0)) / 2 / mean;
      assert.ok(width < 0.25, `±${width} at ${size}`);
    }
    assert.ok([2, 4].includes(advice.recommended.size), advice.recommended.because);
    assert.match(advice.recommended.because, /mean latency of a request/);
  });

  test('clients that look like an open stream, which the recorded size could not have served, are clients', () => {
    const trace = requestTraceOf(
      clients().map((one) => ('think' in one ? { ...one, think: 20 * random.next() } : one)),
      4,
      machine,
    );
    const [process] = trace.processes as [Trace['processes'][number]];
    const requests = process.requests.map((one, index) => ({ ...one, connection: index }));
    assert.ok(askedBy(requests).every(({ group }) => group === null));
    const advice = advise({ ...trace, processes: [{ ...process, requests }] });
    assert.equal(advice.trace.requests?.fromClients, 400);
    near(at(advice, 1).requests?.latencyMs.mean ?? 0, 20 * 14, 0.1);
    near(at(advice, 1).requests?.perSecond ?? 0, 1000 / 14, 0.05);
    assert.ok([2, 4].includes(advice.recommended.size), advice.recommended.because);
  });

  test('an open stream of nearly as much as can be served is one', () => {
    for (const load of [0.8, 0.9, 0.95, 0.98]) {
      const busy = requestTraceOf(
        stream(400, 14 / 2 / load, () => ({ jobs: [{ cpu: 14 }] })),
        4,
        machine,
      );
      assert.equal(advise(busy, { sizes: [4] }).trace.requests?.fromClients, 0, `${load}`);
    }
  });

  test('an open stream that overloads the recorded size, so that its requests take longer and longer, is one', () => {
    const heavy = requestTraceOf(
      stream(200, 15, () => ({ jobs: [{ blocked: 20 }] })),
      1,
      machine,
    );
    const advice = advise(heavy);
    assert.equal(advice.trace.requests?.fromClients, 0);
    assert.equal(at(advice, 1).requests?.isOverloaded, true);
  });

  test('the run that was recorded lies within the band at its own size, by requests', () => {
    for (const trace of [recorded, closed]) {
      const [own] = verification(advise(trace).predictions, [{ size: 4, trace }]);
      assert.deepEqual(own?.requestsInBand, { mean: true, p99: true, perSecond: true }, JSON.stringify(own));
    }
  });

  test('where more come than one thread can serve, that is said, not a number', () => {
    const heavy = requestTraceOf(
      Array.from({ length: 80 }, (_, index) => ({ at: 15 * index, jobs: [{ blocked: 20 }] })),
      4,
      machine,
    );
    const advice = advise(heavy);
    assert.deepEqual(
      advice.predictions.map(({ requests }) => requests?.isOverloaded),
      [true, false, false, false, false],
    );
    assert.ok(
      advice.findings.some(({ id, text }) => id === 'advise.overloaded' && /grows for ever/.test(text)),
    );
    const text = adviceReport(advice, plainStyle(100));
    assert.match(text, /^ +1 +overload/m);
    assert.notEqual(advice.recommended.size, 1);
  });

  test('where no size helps, that is said', () => {
    const idle = requestTraceOf(
      Array.from({ length: 60 }, (_, index) => ({ at: 40 * index, jobs: [{ blocked: 5 }], delay: 20 })),
      4,
      machine,
    );
    assert.ok(advise(idle).findings.some(({ id }) => id === 'advise.no-size-helps'));
    assert.ok(
      !advise(closed, { sizes: [1, 2, 4, 16] }).findings.every(({ id }) => id !== 'advise.no-size-helps'),
    );
  });

  test('what if answers in requests', () => {
    const half = advise(closed, { whatIf: { ...NO_CHANGE, faster: [{ kind: 'addon', factor: 2 }] } });
    near(at(half, 4).requests?.perSecond ?? 0, 2 * (at(advise(closed), 4).requests?.perSecond ?? 0), 0.08);
    const without = advise(recorded, { whatIf: { ...NO_CHANGE, cores: 8 } });
    assert.ok(
      (at(without, 16).requests?.latencyMs.mean ?? 99) <
        (at(advise(recorded), 4).requests?.latencyMs.mean ?? 0),
    );
  });

  test('without requests: operations by name', () => {
    const [process] = recorded.processes as [Trace['processes'][number]];
    const operations = process.operations.map((one) => ({ ...one, request: null }));
    const advice = advise({ ...recorded, processes: [{ ...process, operations, requests: [] }] });
    assert.deepEqual(
      at(advice, 4).operations.map(({ name, count }) => [name, count]),
      [
        ['GET /mix', 480],
        ['GET /wait', 80],
      ],
    );
    assert.match(advice.recommended.because, /of an operation/);
    assert.match(adviceReport(advice, plainStyle(80)), /What it called: operations/);
  });

  for (const width of [80, 140])
    test(`${width} columns: requests first, nothing wider`, () => {
      for (const trace of [recorded, closed]) {
        const text = adviceReport(advise(trace), plainStyle(width));
        for (const line of text.split('\n')) assert.ok([...line].length <= width, line);
        assert.ok(text.indexOf('What users would feel: requests') < text.indexOf('Why: jobs of the pool'));
        assert.match(text, /requests\/s/);
      }
    });
});
