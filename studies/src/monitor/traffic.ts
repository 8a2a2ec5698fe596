// A program whose pool has one thread and some load, and a monitor: writes what the monitor read. Arguments: file, load, seconds.
// Load is a utilization (jobs come at random times), or `clients:N` (each submits its next job when its last one has ended).
import { pbkdf2, pbkdf2Sync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { monitorThreadPool } from '@plimsoll/monitor';

/** What `traffic` writes. Waits in milliseconds. */
export interface Reading {
  /** Jobs that were submitted before the monitor was reset; what counts begins with the next one. */
  readonly before: number;
  readonly canaries: number;
  readonly mean: number;
  readonly standardError: number;
  readonly p99: number;
}

const [file = '', load = '', seconds = '1'] = process.argv.slice(2);
const MEAN_MS = 4;
const WARM_MS = 500;
const CALIBRATION = 200_000;
const MS = 1e6;

const exponential = (): number => -Math.log(1 - Math.random());
const iterationsPerMs = calibrate();
let submitted = 0;
let left = 0;

function calibrate(): number {
  const started = performance.now();
  pbkdf2Sync('a', 'b', CALIBRATION, 64, 'sha512');
  return CALIBRATION / (performance.now() - started);
}

function submit(): Promise<void> {
  submitted++;
  left++;
  const iterations = Math.max(1, Math.round(exponential() * MEAN_MS * iterationsPerMs));
  return new Promise((resolve) => {
    pbkdf2('a', 'b', iterations, 64, 'sha512', () => {
      left--;
      resolve();
    });
  });
}

async function arrive(utilization: number, until: number): Promise<void> {
  const gap = (): number => (exponential() * MEAN_MS) / utilization;
  let next = performance.now() + gap();
  while (performance.now() < until) {
    for (; next <= performance.now(); next += gap()) void submit();
    await sleep(Math.max(0, next - performance.now()));
  }
}

async function serve(clients: number, until: number): Promise<void> {
  const client = async (): Promise<void> => {
    while (performance.now() < until) await submit();
  };
  await Promise.all(Array.from({ length: clients }, client));
}

async function drive(ms: number): Promise<void> {
  const until = performance.now() + ms;
  const [, clients] = /^clients:(\d+)$/.exec(load) ?? [];
  await (clients === undefined ? arrive(Number(load), until) : serve(Number(clients), until));
}

const monitor = monitorThreadPool();
monitor.enable();
await drive(WARM_MS);
while (left > 0 || monitor.count === 0) await sleep(5);
monitor.reset();
const before = submitted;
await drive(Number(seconds) * 1000);
// What waits still counts: a trace knows how it ends.
while (left > 0) await sleep(1);
const { count, mean, stddev } = monitor;
const reading: Reading = {
  ...{ before, canaries: count, mean: mean / MS, standardError: stddev / Math.sqrt(count) / MS },
  p99: monitor.percentile(99) / MS,
};
writeFileSync(file, JSON.stringify(reading));
monitor.disable();
