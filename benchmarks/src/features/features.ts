/** One thing that a pool can or cannot do. `sentence` is what has to hold for a yes. */
export interface Feature {
  readonly id: string;
  readonly sentence: string;
}

/** A row of the table in the pool's README: some features that belong together. */
export interface Row {
  readonly title: string;
  readonly features: readonly Feature[];
}

/** Every feature that is checked, by the rows of the README. */
export const ROWS = [
  {
    title: 'an aborted task leaves the queue at once, and never runs',
    features: [
      {
        id: 'abort-waiting',
        sentence: 'An aborted task that waits is rejected and leaves the queue at once, and never runs.',
      },
    ],
  },
  {
    title: 'a running task sees the abort: an AbortSignal; inside a loop',
    features: [
      { id: 'running-signal', sentence: 'A task that runs sees an AbortSignal that its caller aborts.' },
      {
        id: 'loop-abort',
        sentence: 'A loop that never returns to the event loop can see that its task is aborted.',
      },
    ],
  },
  {
    title: 'after a grace the worker of that task alone is replaced',
    features: [
      {
        id: 'abort-one-worker',
        sentence: 'Aborting a task that runs stops it and no other one, and the pool goes on.',
      },
      {
        id: 'grace',
        sentence:
          'An aborted task may end by itself within a time of grace, and its worker stays; after it the worker is stopped.',
      },
    ],
  },
  {
    title: 'a deadline that counts the time in the queue',
    features: [
      {
        id: 'deadline',
        sentence: 'A task may have a deadline that stops it, and that counts its time in the queue.',
      },
    ],
  },
  {
    title: 'functions as methods, with all arguments; typed by the module',
    features: [
      {
        id: 'proxy',
        sentence: 'The functions of the worker file are methods on the host, with all of their arguments.',
      },
      {
        id: 'proxy-types',
        sentence:
          'TypeScript knows these methods from the module: parameters, promises, overloads and type parameters.',
      },
    ],
  },
  {
    title: 'streams out of a generator, with back-pressure; `break` cancels',
    features: [
      { id: 'stream-out', sentence: 'A generator as a task is a `for await` on the host.' },
      {
        id: 'stream-back-pressure',
        sentence: 'It makes no more than a bounded number of items that nobody has taken.',
      },
      { id: 'stream-break', sentence: 'Leaving that loop ends the generator in the worker.' },
    ],
  },
  {
    title: 'async iterables and ReadableStreams as arguments',
    features: [
      {
        id: 'stream-in',
        sentence: 'A task takes an async iterable or a ReadableStream as its argument, and reads it lazily.',
      },
    ],
  },
  {
    title: '`map` over an iterable, with bounded concurrency',
    features: [
      {
        id: 'map',
        sentence:
          'Map runs a task for each item of a sync or an async iterable, and takes no more than `concurrency` at a time.',
      },
    ],
  },
  {
    title: 'AsyncLocalStorage: after the call; in the worker',
    features: [
      {
        id: 'store-after',
        sentence: 'After a task the store is that of the caller: after `await`, and in `then()`.',
      },
      { id: 'store-in-worker', sentence: 'Registered stores are those of the caller in the worker, too.' },
    ],
  },
  {
    title: 'events by `diagnostics_channel`; spans of OpenTelemetry',
    features: [
      {
        id: 'task-events',
        sentence: 'Each task is told of by `diagnostics_channel`: when it is queued, started and settled.',
      },
      {
        id: 'spans',
        sentence: 'Each task has a span of OpenTelemetry, whose trace goes on in the worker.',
      },
    ],
  },
  {
    title: '`setup` and `dispose` of each worker; waiting until they are ready',
    features: [
      {
        id: 'setup-dispose',
        sentence:
          'The worker file has a hook that is awaited before the first task, and one that is awaited at the end.',
      },
      { id: 'ready', sentence: 'One can wait until all workers have loaded their file.' },
    ],
  },
  {
    title: 'a task to every worker; all tasks of a key to one worker',
    features: [
      { id: 'broadcast', sentence: 'One call runs a task in each worker, and gives all results.' },
      { id: 'sticky-key', sentence: 'Tasks of the same key run in the same worker.' },
    ],
  },
  {
    title: 'more or fewer workers at run time',
    features: [{ id: 'resize', sentence: 'The number of workers can be changed, up and down, at run time.' }],
  },
  {
    title: 'recycling by tasks or heap; the replacement starts first',
    features: [
      { id: 'recycle-tasks', sentence: 'A worker is replaced after a number of tasks.' },
      { id: 'recycle-heap', sentence: 'A worker whose heap has grown over a limit is replaced.' },
      {
        id: 'recycle-first',
        sentence: 'The replacement loads its file while the old worker still runs tasks.',
      },
    ],
  },
  {
    title: 'a task that died with its worker runs again',
    features: [
      { id: 'retry', sentence: 'A task whose worker dies is run again, no more often than one allows.' },
    ],
  },
  {
    title: 'a worker file that ends worker after worker is refused',
    features: [
      {
        id: 'breaker',
        sentence:
          'When the worker file ends each worker that loads it, all tasks fail with the reason, and no worker is started for a while.',
      },
    ],
  },
  {
    title: 'where the time of tasks goes, and what to change; Prometheus',
    features: [
      {
        id: 'explain',
        sentence: 'The pool tells where the time of each function went, by phases, and what to change.',
      },
      { id: 'prometheus', sentence: 'The pool gives its metrics in the text format of Prometheus.' },
    ],
  },
  {
    title: 'for your tests: an in-process pool, a fault injector',
    features: [
      {
        id: 'in-process',
        sentence:
          'A pool with the same API runs tasks on the thread of the test, in an order that is repeatable.',
      },
      { id: 'fault-injection', sentence: 'A test chooses calls that end their worker, or hang.' },
    ],
  },
] as const satisfies readonly Row[];

export type FeatureId = (typeof ROWS)[number]['features'][number]['id'];

/** Every feature, in the order of the rows. */
export const FEATURES: readonly (Feature & { readonly id: FeatureId })[] = ROWS.flatMap(({ features }) => [
  ...features,
]);
