import { setTimeout as sleep } from 'node:timers/promises';
import { usage } from '../errors.js';
import { terminalStyle } from '../report/style.js';
import { type SortKey, screenLines } from '../report/top.js';
import type { SeenProcess } from '../results/pool-activity.js';
import { lookAt } from '../top/chosen.js';
import { Observer } from '../top/look.js';
import { LiveScreen } from './live-screen.js';

const LEAST_COLUMNS = 60;

/** The screen of `plimsoll top`: draw, wait, look again, until q; the process that is looked at may end meanwhile. */
export async function watch(of: number | string | undefined, intervalMs: number): Promise<number> {
  const columns = process.stdout.columns;
  if (columns < LEAST_COLUMNS)
    throw usage(
      `top needs ${LEAST_COLUMNS} columns, this terminal has ${columns}; make it wider, or use --once --json -`,
    );
  const observer = new Observer();
  let processes = lookAt(observer, of);
  const history = new Map<number, number[]>();
  let [paused, help, sort]: [boolean, boolean, SortKey] = [false, false, 'busy'];
  const ended = new AbortController();
  let woken = new AbortController();
  const screen = new LiveScreen(process.stdin, process.stdout, (key) => {
    if (key === 'q') ended.abort();
    else if (key === 'p' || key === ' ') paused = !paused;
    else if (key === 's') sort = sort === 'busy' ? 'pid' : 'busy';
    else if (key === '?' || key === 'h') help = !help;
    woken.abort();
  });
  const onSignal = (): void => {
    ended.abort();
    woken.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  try {
    let nextAt = performance.now();
    while (!ended.signal.aborted) {
      if (!paused && performance.now() >= nextAt) {
        processes = lookAt(observer, of);
        remember(history, processes);
        nextAt = performance.now() + intervalMs;
      }
      screen.draw(screenLines(processes, { history, help, paused, sort }, terminalStyle(process.stdout)));
      woken = new AbortController();
      const waitMs = paused ? intervalMs : Math.max(1, nextAt - performance.now());
      await sleep(waitMs, undefined, { signal: woken.signal }).catch(() => {});
    }
    return 0;
  } finally {
    screen.close();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(signal, onSignal);
  }
}

const MOST_REMEMBERED = 60;

function remember(history: Map<number, number[]>, processes: readonly SeenProcess[]): void {
  for (const { pid, busy } of processes)
    history.set(pid, [...(history.get(pid) ?? []), busy].slice(-MOST_REMEMBERED));
}
