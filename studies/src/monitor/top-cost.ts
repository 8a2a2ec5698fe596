import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { LifeCycle } from '../common/command.js';
import { ROOT } from '../common/paths.js';
import type { TopCost } from './result.js';

const WATCHED = fileURLToPath(new URL('./watched.js', import.meta.url));
/** In a terminal of its own, 120 columns wide; names come by the environment, so that no path becomes shell. */
const IN_TERMINAL = 'stty cols 120 rows 40; exec "$TOP_NODE" "$TOP_MAIN" top "$TOP_WATCHED"';

export interface TopPlan {
  /** Before it counts: modules load, and V8 compiles what is hot. */
  readonly settle: number;
  readonly seconds: number;
}

/** CPU time of the live `plimsoll top` at its default interval, while it watches so many processes. Linux with script(1). */
export async function topCost(processes: number, plan: TopPlan, cycle: LifeCycle): Promise<TopCost> {
  const started: ChildProcess[] = [];
  const start = (command: string, args: readonly string[], env = process.env): ChildProcess => {
    const child = spawn(command, args, { stdio: ['pipe', 'ignore', 'inherit'], detached: true, env });
    cycle.guardian.watch(child.pid as number);
    started.push(child);
    return child;
  };
  try {
    for (let count = 0; count < processes; count++) start(process.execPath, [WATCHED]);
    const terminal = start('script', ['-qec', IN_TERMINAL, '/dev/null'], {
      ...process.env,
      TOP_NODE: process.execPath,
      TOP_MAIN: join(ROOT, 'packages/plimsoll/bin/plimsoll.js'),
      TOP_WATCHED: WATCHED,
    });
    await sleep(plan.settle * 1000, undefined, { signal: cycle.signal });
    const top = childOf(terminal.pid as number);
    const startSeconds = cpuSeconds(top);
    const begin = performance.now();
    await sleep(plan.seconds * 1000, undefined, { signal: cycle.signal });
    const cores = (cpuSeconds(top) - startSeconds) / ((performance.now() - begin) / 1000);
    const threads = started.slice(0, processes).map(({ pid }) => readdirSync(`/proc/${pid}/task`).length);
    return { processes, threads: threads.reduce((sum, count) => sum + count, 0), cores, startSeconds };
  } finally {
    for (const child of started.reverse()) await end(child, cycle);
  }
}

async function end(child: ChildProcess, { guardian }: LifeCycle): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
  guardian.forget(child.pid as number);
}

function childOf(pid: number): number {
  const [child = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
  return Number(child);
}

/** Of all threads that are alive, by the scheduler's own account; the ticks of proc_pid_stat(5) are too coarse. */
function cpuSeconds(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((tid) =>
    Number.parseInt(readFileSync(`/proc/${pid}/task/${tid}/schedstat`, 'utf8'), 10),
  );
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e9;
}
