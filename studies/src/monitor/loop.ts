// An idle pool under an event loop that is blocked four fifths of the time, or not, by turns. Arguments: file, seconds of a window,
// windows.
import { writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { monitorThreadPool } from '@plimsoll/monitor';
import type { LoopWindow } from './result.js';

const [file = '', seconds = '1', windows = '2'] = process.argv.slice(2);
const BLOCKED_MS = 80;
const FREE_MS = 20;
const MS = 1e6;

function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

const monitor = monitorThreadPool();
monitor.enable();
await stat('.');
while (monitor.count < 5) await sleep(5);

async function measure(isBlocked: boolean): Promise<LoopWindow> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  monitor.reset();
  const before = performance.eventLoopUtilization();
  const until = performance.now() + Number(seconds) * 1000;
  while (performance.now() < until) {
    if (isBlocked) block(BLOCKED_MS);
    await sleep(isBlocked ? FREE_MS : BLOCKED_MS);
  }
  const { count, mean } = monitor;
  return {
    isBlocked,
    loopBusy: performance.eventLoopUtilization(before).utilization,
    loopDelayMean: delay.mean / MS,
    canaries: count,
    monitorMean: mean / MS,
    monitorP99: monitor.percentile(99) / MS,
  };
}

const measured: LoopWindow[] = [];
for (let window = 0; window < Number(windows); window++) measured.push(await measure(window % 2 === 1));
writeFileSync(file, JSON.stringify(measured));
monitor.disable();
