import { waitKindOf, waitKinds } from '../libuv/wait-kinds.js';
import type { PoolVerdict } from '../results/classification.js';
import type { Observation } from './messages.js';
import type { Probed } from './probe.js';

type Hold = Readonly<{ windowMs: number; threads: number }>;
/** How long it takes with a free pool. */
type Usual = Readonly<{ usualMs: number | null }>;
type Waited = Readonly<{ waitedFor: readonly string[] }>;

export type Grounds =
  /** It did not complete while every thread was blocked, and continued when the first was released. */
  | ({ readonly id: 'classify.served-in-turn' } & Hold & Waited)
  /** The same, except that it was only seen to complete once all threads were released. */
  | ({ readonly id: 'classify.completed-after-release' } & Hold & Waited & Usual)
  | ({ readonly id: 'classify.not-after-release' } & Hold & Usual)
  | { readonly id: 'classify.before-loop-turned'; readonly mainThreadMs: number }
  | { readonly id: 'classify.completed-while-blocked'; readonly ms: number | null; readonly threads: number }
  | ({ readonly id: 'classify.failed-while-blocked'; readonly error: string } & Usual)
  | { readonly id: 'classify.failed'; readonly error: string }
  /** `how`: exit code 3, signal SIGABRT … */
  | { readonly id: 'classify.exited'; readonly how: string }
  | { readonly id: 'classify.never-completed'; readonly deadlineMs: number }
  | { readonly id: 'classify.event-loop-blocked'; readonly deadlineMs: number };

export interface Decision {
  readonly verdict: PoolVerdict;
  readonly slowIo: boolean | null;
  readonly mainThreadMs: number | null;
  readonly waitsFor: readonly string[];
  readonly grounds: Grounds;
}

type Circumstances = Readonly<{ size: number; windowMs: number; deadlineMs: number }>;

/** What the blocked run decides alone; `null` when a run with a free pool is needed too. */
export function decideBlocked(blocked: Probed, circumstances: Circumstances): Decision | null {
  if (blocked.kind !== 'observed') return decideLost(blocked, circumstances);
  const { observation } = blocked;
  const { outcome, whileBlocked, synchronous, ms, busyMs, callbacks, release } = observation;
  if (outcome === 'failed' && synchronous) return failed(observation);
  if (outcome !== 'completed') return null;
  if (!whileBlocked) {
    if (!release?.firstServed) return null;
    const waitedFor = waitKinds(callbacks);
    const grounds = { id: 'classify.served-in-turn', ...hold(circumstances), waitedFor } as const;
    return waited(observation, release.overtaken, grounds);
  }
  if (synchronous)
    return decision('main thread', { id: 'classify.before-loop-turned', mainThreadMs: busyMs }, busyMs);
  const grounds: Grounds = { id: 'classify.completed-while-blocked', ms, threads: circumstances.size };
  return { ...decision('kernel', grounds, busyMs), waitsFor: waitKinds(callbacks) };
}

/** If an operation stood still this many times longer than usual and completed after the release, this is no accident. */
const SURELY = 10;

export function decide(blocked: Probed, free: Probed, circumstances: Circumstances): Decision {
  const early = decideBlocked(blocked, circumstances);
  if (early !== null) return early;
  if (free.kind !== 'observed') return decideLost(free, circumstances);
  const { observation: heldRun } = blocked as Extract<Probed, { kind: 'observed' }>;
  const { outcome, ms: usualMs, busyMs, callbacks } = free.observation;
  const { deadlineMs, windowMs } = circumstances;
  if (outcome === 'pending') return decision('timeout', { id: 'classify.never-completed', deadlineMs });
  if (outcome === 'failed') return failed(free.observation);
  const held = { ...hold(circumstances), usualMs };
  const waitedFor = waitKinds(callbacks);
  if (heldRun.outcome === 'completed' && windowMs >= SURELY * (usualMs ?? 0))
    return waited(free.observation, null, { id: 'classify.completed-after-release', ...held, waitedFor });
  const grounds: Grounds =
    heldRun.outcome === 'failed'
      ? { id: 'classify.failed-while-blocked', error: errorText(heldRun), usualMs }
      : { id: 'classify.not-after-release', ...held };
  return decision('unclear', grounds, busyMs);
}

function waited({ busyMs }: Observation, slowIo: boolean | null, grounds: Grounds & Waited): Decision {
  const verdict = grounds.waitedFor.length > 0 ? 'both' : 'pool';
  return { verdict, slowIo, mainThreadMs: busyMs, waitsFor: ['pool', ...grounds.waitedFor], grounds };
}

const hold = ({ windowMs, size }: Circumstances): Hold => ({ windowMs, threads: size });

const decideLost = (
  probed: Exclude<Probed, { kind: 'observed' }>,
  { deadlineMs }: Circumstances,
): Decision =>
  probed.kind === 'exited'
    ? decision('failed', { id: 'classify.exited', how: probed.how })
    : decision('timeout', { id: 'classify.event-loop-blocked', deadlineMs });

const decision = (verdict: PoolVerdict, grounds: Grounds, mainThreadMs: number | null = null): Decision => ({
  ...{ verdict, grounds, mainThreadMs },
  ...{ slowIo: null, waitsFor: [] },
});

const failed = (observation: Observation): Decision =>
  decision('failed', { id: 'classify.failed', error: errorText(observation) });

const errorText = ({ error }: Observation): string =>
  `${error?.name ?? 'Error'}: ${error?.message ?? 'unknown'}`.slice(0, 300);

/** The asynchronous resources that may stand for pool jobs. */
export const poolResources = (callbacks: readonly string[]): string[] =>
  callbacks.filter((type) => waitKindOf(type) === null);
