import type { Driver, Open } from '../driver.js';
import { absent, lack } from '../names.js';
import { none, type Outcome, type Probes } from '../outcome.js';
import { fateOf, runsElsewhere, said } from '../scenarios/absence.js';
import { learnsNothing, oneArgument } from '../scenarios/calls.js';
import * as cancellation from '../scenarios/cancellation.js';
import * as context from '../scenarios/context.js';
import * as faults from '../scenarios/faults.js';
import * as insight from '../scenarios/insight.js';
import * as streams from '../scenarios/streams.js';
import { endedByHand } from '../scenarios/testing.js';
import * as workers from '../scenarios/workers.js';
import { CAVEATS } from './caveats.js';
import { PATTERNS } from './patterns.js';

/** What the probes need of Piscina's API, which tinypool shares. */
interface Pool {
  run(
    task: unknown,
    options: { name: string; signal?: AbortSignal; transferList?: never[] },
  ): Promise<unknown>;
  readonly queueSize: number;
  readonly threads: readonly { terminate(): unknown }[];
}

interface Library<P extends Pool, Options> {
  readonly name: 'piscina' | 'tinypool';
  make(threads: number, worker?: string, options?: Options): P;
  close(pool: P): Promise<unknown>;
  /** By default a worker blocks between tasks and serves no stream that Node moved to it; with these options it does. */
  readonly serving: Options;
  readonly caveat: string;
}

interface Family<P extends Pool, Options> {
  readonly driverOf: (pool: P) => Driver;
  readonly open: Open<Options>;
  readonly lacks: (
    pattern: RegExp,
    known: readonly string[],
    tried: () => Promise<string>,
  ) => Promise<Outcome>;
  readonly probes: ReturnType<typeof probesOf>;
}

/** Probes of Piscina and of tinypool, which have one API. */
export function familyOf<P extends Pool, Options>(library: Library<P, Options>): Family<P, Options> {
  const driverOf = (pool: P): Driver => ({
    submit: (name, value) => pool.run(value, { name }),
    cancellable: (name, value, signal) => pool.run(value, { name, signal }),
    limited: (name, value, ms) => pool.run(value, { name, signal: AbortSignal.timeout(ms) }),
    queued: () => pool.queueSize,
    close: () => library.close(pool),
  });
  const open: Open<Options> = (threads, worker, options) => driverOf(library.make(threads, worker, options));
  const plain: Open = (threads, worker) => open(threads, worker);
  const lacks: Family<P, Options>['lacks'] = (pattern, known, tried) =>
    absent(library.name, pattern, known, tried);
  return { driverOf, open, lacks, probes: probesOf(library, driverOf, plain, lacks) };
}

function probesOf<P extends Pool, Options>(
  { name, make, serving, caveat }: Library<P, Options>,
  driverOf: (pool: P) => Driver,
  open: Open,
  lacks: Family<P, Options>['lacks'],
) {
  const openStream =
    (options?: Options): streams.OpenStream =>
    (count) =>
      make(1, `${name}-streams`, options).run(count, { name: 'moved' }) as Promise<AsyncIterable<unknown>>;
  return {
    'abort-waiting': () => cancellation.abortWaiting(open),
    'running-signal': async () => none(await learnsNothing(open(1), name)),
    'loop-abort': async () => none(await learnsNothing(open(1), name), await cancellation.fateOfLoop(open)),
    'abort-one-worker': () => cancellation.abortOneWorker(open),
    deadline: () => cancellation.deadline(open),
    proxy: () => lacks(PATTERNS.proxy, [], () => oneArgument(open(1))),
    'stream-out': async () => {
      const plain = await fateOf('a generator', () => make(1).run(3, { name: 'numbers' }));
      const byDefault = (await streams.isServed(openStream())) ? [] : [caveat];
      return streams.streamOut(openStream(serving), [`${CAVEATS.moved} (${plain})`, ...byDefault].join('; '));
    },
    'stream-back-pressure': () => streams.streamBackPressure(openStream(serving), CAVEATS.moved),
    'stream-break': () => streams.streamBreak(openStream(serving), CAVEATS.moved),
    'stream-in': () => {
      const pool = make(1);
      return streams.streamIn({
        asyncIterable: (source) => make(1).run(source, { name: 'sum' }),
        readableStream: (source) => pool.run(source, { name: 'sum', transferList: [source as never] }),
        lazy: (source) => pool.run(source, { name: 'firstOf', transferList: [source as never] }),
      });
    },
    map: () =>
      lacks(PATTERNS.map, [], () =>
        fateOf('an iterable as a task', () => open(1).submit('where', [1].values())),
      ),
    'store-after': () => context.storeAfter(open),
    'store-in-worker': () => lacks(/context|storage/i, [], () => said(context.storeInWorker(open))),
    'task-events': () => context.taskEvents(open, name),
    spans: () => lacks(PATTERNS.spans, [], () => insight.undocumented(name, 'OpenTelemetry')),
    resize: () => {
      const pool = make(2);
      return workers.resize(driverOf(pool), (threads) =>
        Object.assign(pool, { minThreads: threads, maxThreads: threads }),
      );
    },
    retry: () =>
      lacks(PATTERNS.retry, [], () => {
        const pool = open(1);
        return said(faults.retry((label, times) => pool.submit('mortal', { label, times })));
      }),
    breaker: () => faults.breaker(() => open(2, 'boot-fails'), /exit|code/),
    prometheus: () => lacks(PATTERNS.prometheus, [], () => insight.undocumented(name, 'Prometheus')),
    'in-process': () => lacks(PATTERNS.inProcess, [], () => runsElsewhere(open(1))),
    'fault-injection': async () => {
      const no = await lack(name, PATTERNS.faults);
      const pool = make(1);
      return endedByHand(driverOf(pool), () => pool.threads[0]?.terminate(), no);
    },
  } satisfies Partial<Probes>;
}
