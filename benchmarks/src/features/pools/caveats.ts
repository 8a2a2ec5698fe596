/** What a user of a peer has to do for a feature that is not built in, and what that does not give. */
export const CAVEATS = {
  moved: 'only as a ReadableStream, which the function makes of its generator and marks with `move()`',
  sync: "with the default `atomics: 'sync'` its worker does not serve it",
  useAtomics: 'with the default `useAtomics: true` its worker does not serve it',
  transferred:
    'only as a ReadableStream, which the function makes of its generator and wraps in a `Transfer`',
  balancer: 'a `loadBalancer` that one writes',
  keyEach: 'a key for each worker by `computeWorkerKey`',
  functionEach: 'a function for each worker by `workerNodeKeys`',
  functionOfKey:
    'by a function for each key, which names its worker by `workerNodeKeys`: keys have to be known before, and `taskStealing` to be off',
  readOnly: 'by setting `maxWorkers` and `minWorkers`, which its types call read-only',
} as const;
