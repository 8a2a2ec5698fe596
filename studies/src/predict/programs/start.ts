import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LifeCycle } from '../../common/command.js';
import type { Program } from './catalogue.js';

/** A program, ready to be started: what its command is told, and the folder that goes with it. */
export interface Prepared {
  readonly command: readonly [string, ...string[]];
  /** The file in which it tells. */
  readonly report: string;
  readonly scratch: string;
}

/** The program itself failed; others may be measured. */
export class ProgramFailed extends Error {
  override readonly name = 'ProgramFailed';
}

/** @param directory where the programs are. @param units of a command. */
export function prepare(
  program: Program,
  directory: string,
  inputs: string,
  units: number,
  { guardian }: LifeCycle,
): Prepared {
  const scratch = guardian.temporaryDirectory();
  const report = join(scratch, 'report.json');
  // What the program writes is beside the report, not around it.
  const told = { report, inputs, scratch: join(scratch, 'files'), count: units };
  mkdirSync(told.scratch);
  return {
    command: [process.execPath, join(directory, `${program.name}.mjs`), JSON.stringify(told)],
    report,
    scratch,
  };
}

const LOOK_MS = 20;
const READY_MS = 20_000;

/** Waits for a report, of a server that has just started, say. @throws {ProgramFailed} when there is none in time. */
export async function reported<Report>(
  { report }: Prepared,
  signal: AbortSignal,
  hasEnded: () => string | null,
  withinMs = READY_MS,
): Promise<Report> {
  const until = performance.now() + withinMs;
  for (;;) {
    signal.throwIfAborted();
    const found = readReport<Report>(report);
    if (found !== null) return found;
    const why = hasEnded();
    if (why !== null) throw new ProgramFailed(why);
    if (performance.now() > until) throw new ProgramFailed(`it told nothing in ${withinMs / 1000} s`);
    await sleep(LOOK_MS);
  }
}

/** `null` while it is not there, or not whole. */
function readReport<Report>(file: string): Report | null {
  try {
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : null;
  } catch {
    return null;
  }
}

export interface Running {
  readonly pid: number;
  /** Why it ended, with the last that it said; `null` while it runs. */
  ended(): string | null;
  /** Settles when it has ended. */
  readonly exit: Promise<number | null>;
  /** Ends it, and whatever it started. */
  close(): Promise<void>;
}

const KEPT_CHARACTERS = 2_000;

/** Starts a program at a pool size, in a process group of its own that the guardian ends, whatever becomes of us. */
export async function startProgram(
  { command }: Prepared,
  size: number,
  { guardian }: LifeCycle,
): Promise<Running> {
  const [file, ...args] = command;
  const child = spawn(file, args, {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, UV_THREADPOOL_SIZE: String(size) },
  });
  const pid = await pidOf(child);
  guardian.watch(pid);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-KEPT_CHARACTERS);
  });
  let end: string | null = null;
  const exit = new Promise<number | null>((resolve) => {
    child.once('close', (code, signal) => {
      end = `it ended with ${signal ?? `exit code ${code}`}${errorIn(said)}`;
      resolve(code);
    });
  });
  return {
    pid,
    ended: () => end,
    exit,
    async close() {
      killGroup(pid);
      await exit;
      guardian.forget(pid);
    },
  };
}

function pidOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('spawn', () => resolve(child.pid as number));
    child.once('error', (error) => reject(new ProgramFailed(error.message)));
  });
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It is gone.
  }
}

/** The message of an error that nobody caught; no path of this machine is in it. */
function errorIn(said: string): string {
  const message = /^(\w*Error(?: \[\w+\])?: .*)$/m.exec(said)?.[1];
  return message === undefined
    ? ''
    : `: ${message.replaceAll(/(file:\/\/)?\/[^\s'"]+\//g, '').slice(0, 200)}`;
}
