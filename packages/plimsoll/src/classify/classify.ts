import { PlimsollError } from '../errors.js';
import { cpuCount } from '../host/cpu.js';
import { captureEnvironment } from '../host/environment.js';
import type { Supervision } from '../lab/guardian.js';
import { DEFAULT_POOL_SIZE } from '../libuv/pool-size.js';
import type { Classification, Classified } from '../results/classification.js';
import { createRandom } from '../stats/random.js';
import type { Target } from '../workloads/target.js';
import type { Entry } from './catalogue/entry.js';
import { type Decision, decide, decideBlocked, type Grounds, poolResources } from './decide.js';
import type { Subject } from './messages.js';
import { type Laboratory, type Probed, probe } from './probe.js';
import { startServers } from './servers.js';

export interface ClassifyPlan {
  readonly entries: readonly Entry[];
  readonly targets: readonly Target[];
  readonly deadlineMs: number;
}

export interface ClassifyProgress {
  readonly name: string;
  readonly done: number;
  readonly all: number;
  readonly leftMs: number;
}

export type MeasuredOne = Omit<Classified, 'explanation' | 'grounds'> & {
  readonly grounds: Grounds;
  readonly why: string | null;
  readonly resources: readonly string[];
};
export type MeasuredClassification = Omit<Classification, 'results'> & {
  readonly results: readonly MeasuredOne[];
};

/** Any size does, since all pool threads are blocked. */
const SIZE = DEFAULT_POOL_SIZE;
/** Longer than anything in the catalogue; an operation that needs more time is repeated with more. */
const FIRST_WINDOW_MS = 200;
/** A window is long enough when it is this many times what the operation takes with nothing blocked. */
const MARGIN = 3;
const ATTEMPTS = 3;
/** Probes mostly wait, so there may be more of them than CPUs. */
const PROBES_PER_CPU = 2;
const MOST_PROBES = 8;

/** Whether operations complete with every pool thread blocked in open(2) of a FIFO. Each experiment runs in a fresh process. */
export async function classify(
  options: ClassifyPlan,
  { guardian, signal, onProgress = () => {} }: Supervision<ClassifyProgress>,
): Promise<MeasuredClassification> {
  if (process.platform === 'win32')
    throw new PlimsollError(
      'PLIMSOLL_NEEDS_POSIX',
      'classify blocks the pool with FIFOs and needs a POSIX system (Linux, macOS); this is Windows',
    );
  const startedAt = new Date();
  const directory = guardian.temporaryDirectory();
  const environment = captureEnvironment({ directory });
  const { servers, close } = await startServers(directory, 0);
  const failure = new AbortController();
  const laboratory: Laboratory = {
    size: SIZE,
    deadlineMs: options.deadlineMs,
    directory,
    servers,
    guardian,
    random: createRandom(startedAt.getTime()),
    signal: AbortSignal.any([signal, failure.signal]),
  };
  try {
    const candidates = [...options.entries, ...options.targets.map(candidateOf)];
    const results = await classifyAll(candidates, laboratory, failure, onProgress);
    return {
      ...{ schema: 'plimsoll/1', kind: 'classification', environment, size: SIZE },
      startedAt: startedAt.toISOString(),
      seconds: (Date.now() - startedAt.getTime()) / 1000,
      ...{ interrupted: signal.aborted, results },
    };
  } finally {
    await close();
    guardian.remove(directory);
  }
}

/** An entry of the catalogue, or a function of the user's. */
type Candidate = Pick<Entry, 'name' | 'call' | 'why' | 'alternative'> & { readonly target?: Target };

const candidateOf = (target: Target): Candidate => ({
  name: target.name,
  call: `${target.exportName}(${target.args.map((value) => JSON.stringify(value)).join(', ')})`,
  target,
});

/** Several at a time; the first error ends all of them, an interruption keeps the finished ones. */
async function classifyAll(
  candidates: readonly Candidate[],
  laboratory: Laboratory,
  failure: AbortController,
  onProgress: (progress: ClassifyProgress) => void,
): Promise<MeasuredOne[]> {
  const results: (MeasuredOne | undefined)[] = [];
  const started = performance.now();
  const queue = candidates.entries();
  let done = 0;
  let error: unknown;
  const lane = async (): Promise<void> => {
    try {
      for (const [index, candidate] of queue) {
        if (laboratory.signal.aborted) return;
        results[index] = await classifyOne(candidate, laboratory);
        done++;
        const leftMs = ((performance.now() - started) / done) * (candidates.length - done);
        onProgress({ name: candidate.name, done, all: candidates.length, leftMs });
      }
    } catch (reason) {
      if (!laboratory.signal.aborted) error = reason;
      failure.abort();
    }
  };
  await Promise.all(Array.from({ length: Math.min(MOST_PROBES, PROBES_PER_CPU * cpuCount()) }, lane));
  if (error !== undefined) throw error;
  return results.filter((result) => result !== undefined);
}

async function classifyOne(candidate: Candidate, laboratory: Laboratory): Promise<MeasuredOne> {
  const { size, deadlineMs } = laboratory;
  const { name, target } = candidate;
  const subject: Subject = target === undefined ? { kind: 'entry', name } : { kind: 'target', target };
  let windowMs = FIRST_WINDOW_MS;
  let free: Probed | null = null;
  for (let attempt = 1; ; attempt++) {
    const circumstances = { size, windowMs, deadlineMs };
    const blocked = await probe(subject, windowMs, laboratory);
    const early = decideBlocked(blocked, circumstances);
    if (early !== null) return classified(candidate, early, blocked);
    free ??= await probe(subject, null, laboratory);
    const decision = decide(blocked, free, circumstances);
    const needed = MARGIN * (free.kind === 'observed' ? (free.observation.ms ?? 0) : 0);
    const settled = decision.verdict !== 'unclear' && needed <= windowMs;
    if (settled || attempt === ATTEMPTS) return classified(candidate, decision, free);
    windowMs = Math.max(needed, MARGIN * windowMs);
  }
}

function classified(
  { name, call, why, alternative }: Candidate,
  decision: Decision,
  probed: Probed,
): MeasuredOne {
  const { verdict, waitsFor } = decision;
  const callbacks = probed.kind === 'observed' ? probed.observation.callbacks : [];
  const usesPool = verdict === 'pool' || verdict === 'both';
  return {
    ...decision,
    name,
    call,
    waitsFor: [...waitsFor],
    why: why?.[verdict] ?? null,
    resources: usesPool ? poolResources(callbacks) : [],
    alternative: usesPool || verdict === 'main thread' ? (alternative ?? null) : null,
  };
}
