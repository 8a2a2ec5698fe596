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

/** Any size would do, since all threads of the pool are blocked. */
const SIZE = DEFAULT_POOL_SIZE;
/** Long against everything in the catalogue; what needs longer is found out, and gets it. */
const FIRST_WINDOW_MS = 200;
/** A window is long enough when it is so many times what the operation takes with nothing blocked. */
const MARGIN = 3;
const ATTEMPTS = 3;
/** Probes spend most of their time waiting, so there may be more of them than CPUs. */
const PROBES_PER_CPU = 2;
const MOST_PROBES = 8;

/** With every pool thread blocked in open(2) of a FIFO, does it complete? Each experiment is a fresh process. */
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
    const candidates = [...options.entries.map(ofEntry), ...options.targets.map(ofTarget)];
    const results = await each(candidates, laboratory, failure, onProgress);
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

interface Candidate {
  readonly name: string;
  readonly call: string;
  readonly subject: Subject;
  readonly entry: Entry | null;
}

const ofEntry = (entry: Entry): Candidate => ({
  name: entry.name,
  call: entry.call,
  subject: { kind: 'entry', name: entry.name },
  entry,
});

const ofTarget = (target: Target): Candidate => ({
  name: target.name,
  call: `${target.exportName}(${target.args.map((value) => JSON.stringify(value)).join(', ')})`,
  subject: { kind: 'target', target },
  entry: null,
});

/** Classify some at a time; the first error ends all of them, an interruption keeps what is done. */
async function each(
  candidates: readonly Candidate[],
  laboratory: Laboratory,
  failure: AbortController,
  onProgress: (progress: ClassifyProgress) => void,
): Promise<MeasuredOne[]> {
  const results: (MeasuredOne | undefined)[] = [];
  const started = performance.now();
  let next = 0;
  let done = 0;
  let error: unknown;
  const lane = async (): Promise<void> => {
    while (next < candidates.length && !laboratory.signal.aborted) {
      const index = next++;
      const candidate = candidates[index] as Candidate;
      results[index] = await classifyOne(candidate, laboratory);
      done++;
      const leftMs = ((performance.now() - started) / done) * (candidates.length - done);
      onProgress({ name: candidate.name, done, all: candidates.length, leftMs });
    }
  };
  const guarded = (): Promise<void> =>
    lane().catch((reason) => {
      if (!laboratory.signal.aborted) error = reason;
      failure.abort();
    });
  const lanes = Math.min(MOST_PROBES, PROBES_PER_CPU * cpuCount());
  await Promise.all(Array.from({ length: lanes }, guarded));
  if (error !== undefined) throw error;
  return results.filter((result) => result !== undefined);
}

async function classifyOne(candidate: Candidate, laboratory: Laboratory): Promise<MeasuredOne> {
  const { size, deadlineMs } = laboratory;
  let windowMs = FIRST_WINDOW_MS;
  let free: Probed | null = null;
  for (let attempt = 1; ; attempt++) {
    const circumstances = { size, windowMs, deadlineMs };
    const blocked = await probe(candidate.subject, windowMs, laboratory);
    const early = decideBlocked(blocked, circumstances);
    if (early !== null) return classified(candidate, early, blocked);
    free ??= await probe(candidate.subject, null, laboratory);
    const decision = decide(blocked, free, circumstances);
    const needed = MARGIN * timeOf(free);
    const settled = decision.verdict !== 'unclear' && needed <= windowMs;
    if (settled || attempt === ATTEMPTS) return classified(candidate, decision, free);
    windowMs = Math.max(needed, MARGIN * windowMs);
  }
}

const timeOf = (probed: Probed): number => (probed.kind === 'observed' ? (probed.observation.ms ?? 0) : 0);

function classified({ name, call, entry }: Candidate, decision: Decision, probed: Probed): MeasuredOne {
  const { verdict, waitsFor } = decision;
  const callbacks = probed.kind === 'observed' ? probed.observation.callbacks : [];
  const usesPool = verdict === 'pool' || verdict === 'both';
  return {
    ...decision,
    name,
    call,
    waitsFor: [...waitsFor],
    why: entry?.why?.[verdict] ?? null,
    resources: usesPool ? poolResources(callbacks) : [],
    alternative: usesPool || verdict === 'main thread' ? (entry?.alternative ?? null) : null,
  };
}
