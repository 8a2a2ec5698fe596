import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PlimsollError } from '../errors.js';
import { readCgroup } from '../host/cgroup.js';
import { namesPoolThreads } from '../host/pool-threads.js';
import { hasEnded, isNodeProcess, processesWithEnvironment } from '../host/processes.js';
import { type Output, preloading, startCommand } from '../lab/command.js';
import type { Supervision } from '../lab/guardian.js';
import { until } from '../lab/until.js';
import { poolSizeOf } from '../libuv/pool-size.js';
import { lacksRoom, type ProcessFacts } from './facts.js';

const PRELOAD = fileURLToPath(new URL('child/preload.cjs', import.meta.url));
/** Even on a busy machine a process answers within this time. */
const ANSWER_MS = 8000;

/** What a process writes about itself; `forWorkers`: values in environments that it passes to Workers. */
type Answer = Omit<ProcessFacts, 'workers' | 'libuv' | 'countedBy' | 'resized'> & {
  readonly libuv: string;
  readonly forWorkers: readonly string[];
};

interface Observed {
  readonly processes: readonly ProcessFacts[];
  /** How the command failed by itself: `exit code 1`. */
  readonly failure: string | null;
  readonly pidsHeadroom: number | null;
}

/** Start a command, let it run for `waitMs`, ask each of its Node processes about its pool, and end it. */
export async function observe(
  command: readonly string[],
  { waitMs, stdout }: { readonly waitMs: number; readonly stdout: Output },
  { guardian, signal }: Supervision,
): Promise<Observed> {
  const directory = guardian.temporaryDirectory();
  try {
    const env = { PLIMSOLL_DOCTOR: JSON.stringify({ directory, waitMs }), ...preloading(PRELOAD) };
    const running = await startCommand(command, env, stdout, guardian);
    const start = performance.now();
    const isOver = (): boolean => {
      const isEarly = performance.now() - start <= waitMs;
      if (isEarly && running.end() === null) return false;
      const processes = processesWithEnvironment([directory]);
      if (running.end() !== null && processes.every((pid) => hasEnded(pid))) return true;
      const answered = new Set(answers(directory, ANSWER).map(({ pid }) => pid));
      const isQuiet = processes.every((pid) => answered.has(pid) || !isNodeProcess(pid));
      return !isEarly && answered.size > 0 && isQuiet;
    };
    await until(isOver, waitMs + ANSWER_MS, signal).catch(() => {});
    const end = running.end();
    const answered = answers(directory, ANSWER);
    const silent = answers(directory, START).filter(({ pid }) => answered.every((each) => each.pid !== pid));
    const killed = silent.filter(({ pid }) => !isNodeProcess(pid));
    const blocked = silent.find(({ pid }) => isNodeProcess(pid));
    await running.stop(signal.aborted ? 'SIGINT' : 'SIGTERM', [directory]);
    const { pidsHeadroom } = readCgroup();
    const processes = [
      ...answers(directory, ANSWER).map((answer) => factsOf(answer, directory)),
      ...killed.map((answer) => factsOf(answer, directory)).filter((facts) => lacksRoom(facts, pidsHeadroom)),
    ];
    if (processes.length === 0 && !signal.aborted) {
      const { text } = await running.ended;
      throw blocked === undefined ? noAnswer(command, text) : neverFree(command, blocked.pid);
    }
    return { processes, failure: end === null || end.code === 0 ? null : end.text, pidsHeadroom };
  } finally {
    guardian.remove(directory);
  }
}

const ANSWER = /^\d+\.json$/;
const START = /^\d+\.start\.json$/;

const answers = <Content = Answer>(directory: string, kind: RegExp): Content[] =>
  readdirSync(directory)
    .filter((name) => kind.test(name))
    .map((name) => JSON.parse(readFileSync(join(directory, name), 'utf8')) as Content);

function factsOf({ forWorkers, ...facts }: Answer, directory: string): ProcessFacts {
  const { pid, libuv, threads, initial, current } = facts;
  const ofWorkers = answers<Pick<Answer, 'initial' | 'current'>>(
    directory,
    new RegExp(`^${pid}-.*\\.worker\\.json$`),
  ).flatMap((worker) => worker.current ?? worker.initial ?? []);
  const workers = new Set([...ofWorkers, ...forWorkers].filter((text) => ![initial, current].includes(text)));
  // Where libuv does not name its threads, more of them than any value sets are not all of the pool.
  const most = Math.max(poolSizeOf(initial, libuv), poolSizeOf(current, libuv));
  const isCounted = threads !== null && (namesPoolThreads(libuv) || threads <= most);
  return {
    ...facts,
    ...(isCounted ? { threads, countedBy: 'preload' } : { threads: null, countedBy: null }),
    ...{ resized: false, workers: [...workers] },
  };
}

const neverFree = (command: readonly string[], pid: number): PlimsollError =>
  new PlimsollError(
    'PLIMSOLL_TARGET_FAILED',
    `process ${pid} of ${JSON.stringify(command.join(' '))} did not answer: its event loop has not turned once; is its main thread busy all the time?`,
  );

const noAnswer = (command: readonly string[], end: string): PlimsollError =>
  new PlimsollError(
    'PLIMSOLL_TARGET_FAILED',
    `no Node process of ${JSON.stringify(command.join(' '))} answered (${end}); ${/SIGABRT/.test(end) ? 'libuv aborts a process (SIGABRT) when it cannot create the pool threads: does a pids limit leave room for them? ' : ''}Is it a Node.js program? Does it run with --permission, or clear NODE_OPTIONS? --output shows its messages`,
  );
