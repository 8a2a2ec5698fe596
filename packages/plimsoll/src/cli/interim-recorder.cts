// Stands in for the recorder of plimsoll trace until that is merged: see recorded-trace.ts. Preloaded into the command; it
// records one process, which must end by itself.
import fs = require('node:fs');
import threads = require('node:worker_threads');

const { readdirSync, readFileSync, writeFileSync } = fs;
const { isMainThread, Worker } = threads;

const COLLECTOR = `
const { Session } = require('node:inspector');
const { parentPort } = require('node:worker_threads');
const { readdirSync, readFileSync, readlinkSync } = require('node:fs');
const self = readlinkSync('/proc/thread-self').split('/').at(-1);
const events = [], samples = [];
const session = new Session();
session.connectToMainThread();
let last = 0;
session.on('NodeTracing.dataCollected', ({ params }) => {
  last = performance.now();
  for (const { ph, name, cat, tid, ts, tts, id, args } of params.value)
    if (ph !== 'M') events.push({ ph, name, cat, tid, ts, tts, id, args });
});
function sample() {
  const threads = {};
  for (const tid of readdirSync('/proc/self/task')) {
    if (tid === self) continue;
    try {
      const [ran, waited] = readFileSync('/proc/self/task/' + tid + '/schedstat', 'utf8').split(' ');
      threads[tid] = [ran / 1e6, waited / 1e6];
    } catch {}
  }
  samples.push({ us: Number(process.hrtime.bigint() / 1000n), threads });
}
const timer = setInterval(sample, 50);
sample();
function settled() {
  if (performance.now() - last < 60) return setTimeout(settled, 15);
  session.disconnect();
  parentPort.postMessage({ events, samples });
}
parentPort.on('message', () => {
  clearInterval(timer);
  sample();
  session.post('NodeTracing.stop', () => { last = performance.now(); settled(); });
});
session.post('NodeTracing.start', { traceConfig: { includedCategories: [
  'node.threadpoolwork.sync', 'node.threadpoolwork.async', 'node.fs.async', 'node.fs_dir.async', 'node.dns.native',
] } }, () => {});
`;

const file = process.env.PLIMSOLL_INTERIM;
if (isMainThread && file !== undefined) {
  delete process.env.PLIMSOLL_INTERIM;
  const startUs = now();
  const worker = new Worker(COLLECTOR, { eval: true, execArgv: [] });
  worker.unref();
  process.once('beforeExit', () => {
    const endUs = now();
    const names = Object.fromEntries(
      readdirSync('/proc/self/task').map((tid) => [
        tid,
        readFileSync(`/proc/self/task/${tid}/comm`, 'utf8').trim(),
      ]),
    );
    worker.ref();
    worker.once('message', (recorded: object) => {
      const { pid, ppid } = process;
      writeFileSync(
        file,
        JSON.stringify({ ...recorded, startUs, endUs, names, pid, ppid, node: process.versions.node }),
      );
      void worker.terminate();
    });
    worker.postMessage('stop');
  });
}

function now(): number {
  return Number(process.hrtime.bigint() / 1000n);
}
