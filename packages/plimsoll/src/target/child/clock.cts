import hooks = require('node:perf_hooks');

const { performance } = hooks;
const ORIGIN = Number(process.hrtime.bigint()) / 1e6 - performance.now();

/** Milliseconds on the machine's monotonic clock, the same in all processes and threads; cheap enough for each request. */
const now = (): number => ORIGIN + performance.now();

export = now;
