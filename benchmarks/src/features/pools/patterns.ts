/** What a name would have in it of an API for something, in any of the pools. */
export const PATTERNS = {
  grace: /grace|terminateTimeout/i,
  proxy: /proxy|exposed/i,
  map: /^map|[eE]ach|[iI]terable/,
  spans: /telemetry|tracer|span|traceparent/i,
  broadcast: /broadcast|everyWorker|allWorkers/i,
  resize: /^(resize|scale|set(Min|Max|Size))/,
  recycleTasks: /recycle|maxTasks|isolate/i,
  recycleHeap: /recycle|memoryLimit|maxMemory|maxHeap/i,
  recycle: /recycle/i,
  retry: /retry|retries/i,
  explain: /histogram|runTime|waitTime|utili[sz]ation|explain/,
  prometheus: /prometheus|metrics/i,
  inProcess: /inProcess|testing|mock|simulat/i,
  faults: /inject|(?<!de)fault(?!ed)|mock|chaos/i,
} as const;
