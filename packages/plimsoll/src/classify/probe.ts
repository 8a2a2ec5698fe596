import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { PlimsollError } from '../errors.js';
import type { Guardian } from '../lab/guardian.js';
import type { Random } from '../stats/random.js';
import type { Observation, ProbeAnswer, ProbeJob, Subject } from './messages.js';
import { observe } from './observe.js';
import type { LocalServers } from './servers.js';

export interface Laboratory {
  readonly size: number;
  readonly deadlineMs: number;
  readonly directory: string;
  readonly servers: LocalServers;
  readonly guardian: Guardian;
  readonly random: Random;
  readonly signal: AbortSignal;
}

export type Probed =
  | { readonly kind: 'observed'; readonly observation: Observation }
  | { readonly kind: 'exited'; readonly how: string }
  | { readonly kind: 'stuck' };

const PROBE = new URL('./child/probe.js', import.meta.url);
/** Time for the process to start on a busy machine. */
const START_MS = 5000;

let probes = 0;

/** @param windowMs how long it may take while every pool thread is blocked; `null` blocks nothing. */
export async function probe(
  subject: Subject,
  windowMs: number | null,
  laboratory: Laboratory,
): Promise<Probed> {
  const { size, deadlineMs, guardian, random, signal, servers } = laboratory;
  signal.throwIfAborted();
  const directory = join(laboratory.directory, `probe-${probes++}`);
  mkdirSync(directory);
  const fifos = windowMs === null ? [] : makeFifos(directory, size);
  const window = { windowMs: windowMs ?? 0, deadlineMs };
  const job: ProbeJob = { subject, size, fifos, directory, servers, ...window, cwd: process.cwd() };
  const name = subject.kind === 'entry' ? subject.name : subject.target.name;
  try {
    const observed = await observe<ProbeJob, ProbeAnswer>(
      {
        name,
        module: PROBE,
        job,
        // Where this is set, Node 20 hands open(2) to io_uring, and no thread is blocked.
        env: { UV_USE_IO_URING: '0' },
        deadlineMs: START_MS + 2 * job.windowMs + 2 * deadlineMs,
      },
      guardian,
      random,
      signal,
    );
    if (observed.kind === 'deadline') return { kind: 'stuck' };
    if (observed.kind === 'exited') return observed;
    if (observed.answer.type === 'observed')
      return { kind: 'observed', observation: observed.answer.observation };
    throw new PlimsollError(
      'PLIMSOLL_POOL_NOT_BLOCKED',
      `${name}: a job ran although all ${size} pool threads should be blocked, so the experiment proves nothing`,
    );
  } finally {
    guardian.remove(directory);
  }
}

function makeFifos(directory: string, count: number): string[] {
  const fifos = Array.from({ length: count }, (_, index) => join(directory, `fifo-${index}`));
  const { status, error, stderr } = spawnSync('mkfifo', fifos, { encoding: 'utf8' });
  if (status === 0) return fifos;
  throw new PlimsollError(
    'PLIMSOLL_NEEDS_POSIX',
    `cannot create the FIFOs that block the pool (${error?.message ?? stderr.trim()}); set TMPDIR to a directory on a local file system`,
  );
}
