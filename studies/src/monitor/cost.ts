// What the monitor costs: a process whose pool idles, then one whose pool is saturated by eight clients, with the monitor on and off
// by turns. Arguments: file, seconds of a window, pairs of windows.
import { pbkdf2, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { monitorThreadPool } from '@plimsoll/monitor';
import type { Cost, CostWindow, Memory } from './result.js';

const [file = '', seconds = '1', pairs = '2'] = process.argv.slice(2);
/** A monitor that has just been enabled compiles, and reads the symbol table. */
const SETTLE_MS = 700;
const CLIENTS = 8;
const ITERATIONS = 2000;

const monitor = monitorThreadPool();
let done = 0;
let isLoaded = false;

function client(): void {
  if (!isLoaded) return;
  pbkdf2('a', 'b', ITERATIONS, 64, 'sha512', () => {
    done++;
    client();
  });
}

async function measure(isOn: boolean): Promise<CostWindow> {
  if (isOn) monitor.enable();
  else monitor.disable();
  await sleep(SETTLE_MS);
  const cpu = process.cpuUsage();
  const jobs = done;
  const started = performance.now();
  await sleep(Number(seconds) * 1000);
  const ms = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  return { isOn, cores: (user + system) / 1000 / ms, jobsPerSecond: ((done - jobs) / ms) * 1000 };
}

/** Off, on, on, off, and so on: a drift hits both alike. */
async function windows(): Promise<CostWindow[]> {
  const measured: CostWindow[] = [];
  for (let pair = 0; pair < Number(pairs); pair++)
    for (const isOn of pair % 2 === 0 ? [false, true] : [true, false]) measured.push(await measure(isOn));
  monitor.disable();
  return measured;
}

/** By proc_pid_smaps(5), so on Linux only. */
function memory(): Memory {
  const text = readFileSync('/proc/self/smaps_rollup', 'utf8');
  const bytes = (name: string): number =>
    Number(new RegExp(`^${name}: +(\\d+) kB`, 'm').exec(text)?.[1]) * 1024;
  return { resident: bytes('Rss'), anonymous: bytes('Anonymous') };
}

await new Promise((resolve) => randomBytes(8, resolve));
await sleep(SETTLE_MS);
const before = memory();
monitor.enable();
await sleep(Number(seconds) * 1000);
const after = memory();
const idle = await windows();
isLoaded = true;
for (let started = 0; started < CLIENTS; started++) client();
const saturated = await windows();
isLoaded = false;
const cost: Cost = {
  ...{ idle, saturated },
  memory: { resident: after.resident - before.resident, anonymous: after.anonymous - before.anonymous },
};
writeFileSync(file, JSON.stringify(cost));
