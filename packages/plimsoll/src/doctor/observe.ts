import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PlimsollError } from '../errors.js';
import { readCgroup } from '../host/cgroup.js';
import { namesPoolThreads } from '../host/pool-threads.js';
import { hasEnded, isNodeProcess, processesWithEnvironment } from '../host/processes.js';
import { type Output, preloading, startCommand } from '../lab/command.js';
import type { Supervision } from '../lab/guardian.js';
import { poolSizeOf } from '../libuv/pool-size.js';
import { lacksRoom, type ProcessFacts } from './facts.js';

export interface ObserveOptions {
  /** How long the app has before it is asked, in milliseconds. */
  readonly waitMs: number;
  readonly stdout: Output;
}

const PRELOAD = fileURLToPath(new URL('child/preload.cjs', import.meta.url));
const POLL_MS = 20;
/** A process that has been asked answers within this, even on a busy machine. */
const ANSWER_MS = 3000;

type Answer = Omit<ProcessFacts, 'workers' | 'libuv' | 'countedBy' | 'resized'> & {
  readonly libuv: string;
  readonly forWorkers: readonly string[];
};

export interface Observed {
  readonly processes: readonly ProcessFacts[];
  /** It ended by itself, and not well: `exit code 1`. */
  readonly failure: string | null;
  readonly pidsHeadroom: number | null;
}

/** Start a command, let it run for a while, ask each of its Node processes what pool it has, and end it. */
export async function observe(
  command: readonly string[],
  { waitMs, stdout }: ObserveOptions,
  { guardian, signal }: Supervision,
): Promise<Observed> {
  const directory = guardian.temporaryDirectory();
  try {
    const env = { PLIMSOLL_DOCTOR: JSON.stringify({ directory, waitMs }), ...preloading(PRELOAD) };
    const running = await startCommand(command, env, stdout, guardian);
    const start = performance.now();
    const isOver = (): boolean =>
      (running.end() !== null && processesWithEnvironment([directory]).every((pid) => hasEnded(pid))) ||
      (performance.now() - start > waitMs && answers(directory, ANSWER).length > 0 && isQuiet(directory)) ||
      performance.now() - start > waitMs + ANSWER_MS;
    while (!signal.aborted && !isOver()) await sleep(POLL_MS, undefined, { signal }).catch(() => {});
    const end = running.end();
    const silent = withoutAnswer(directory);
    const killed = silent.filter(({ pid }) => !isNodeProcess(pid));
    const blocked = silent.find(({ pid }) => isNodeProcess(pid));
    await running.stop(signal.aborted ? 'SIGINT' : 'SIGTERM', [directory]);
    const { pidsHeadroom } = readCgroup();
    const asked = [
      ...answers(directory, ANSWER),
      ...killed.filter((answer) => lacksRoom(factsOf(answer, directory), pidsHeadroom)),
    ];
    if (asked.length === 0 && !signal.aborted) {
      const { text } = await running.ended;
      throw blocked === undefined ? noAnswer(command, text) : neverFree(command, blocked.pid);
    }
    return {
      processes: asked.map((answer) => factsOf(answer, directory)),
      failure: end === null || end.code === 0 ? null : end.text,
      pidsHeadroom,
    };
  } finally {
    guardian.remove(directory);
  }
}

/** Every process that was there when it was asked has answered. */
const isQuiet = (directory: string): boolean => {
  const answered = new Set(answers(directory, ANSWER).map(({ pid }) => pid));
  return processesWithEnvironment([directory]).every((pid) => answered.has(pid) || !isNodeProcess(pid));
};

const ANSWER = /^\d+\.json$/;
const START = /^\d+\.start\.json$/;

const answers = <Content = Answer>(directory: string, kind: RegExp): Content[] =>
  readdirSync(directory)
    .filter((name) => kind.test(name))
    .map((name) => JSON.parse(readFileSync(join(directory, name), 'utf8')) as Content);

const withoutAnswer = (directory: string): Answer[] => {
  const answered = new Set(answers(directory, ANSWER).map(({ pid }) => pid));
  return answers(directory, START).filter(({ pid }) => !answered.has(pid));
};

function factsOf(answer: Answer, directory: string): ProcessFacts {
  const { forWorkers, ...facts } = answer;
  const ofWorkers = new RegExp(`^${facts.pid}-.*\\.worker\\.json$`);
  const texts = answers<Pick<Answer, 'initial' | 'current'>>(directory, ofWorkers).flatMap(
    ({ initial, current }) => current ?? initial ?? [],
  );
  const others = [...new Set([...texts, ...forWorkers])].filter(
    (text) => text !== facts.initial && text !== facts.current,
  );
  return {
    ...facts,
    ...counted(facts),
    resized: false,
    workers: others,
  };
}

/** Where libuv does not name its threads, more of them than any value gives are not all the pool's. */
function counted({
  libuv,
  threads,
  initial,
  current,
}: Pick<Answer, 'libuv' | 'threads' | 'initial' | 'current'>): Pick<ProcessFacts, 'threads' | 'countedBy'> {
  const canBeTold =
    threads !== null &&
    (namesPoolThreads(libuv) || threads <= Math.max(poolSizeOf(initial, libuv), poolSizeOf(current, libuv)));
  return canBeTold ? { threads, countedBy: 'preload' } : { threads: null, countedBy: null };
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
