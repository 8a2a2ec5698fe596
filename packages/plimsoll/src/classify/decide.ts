import { waitKindOf, waitKinds } from '../libuv/wait-kinds.js';
import type { PoolVerdict } from '../results/classification.js';
import type { Observation } from './messages.js';
import type { Probed } from './probe.js';

export type Grounds =
  /** It did not complete while every thread was blocked, and went on when the first was released. */
  | ({ readonly id: 'classify.served-in-turn'; readonly waitedFor: readonly string[] } & Hold)
  /** The same, but it was seen only that it completed once all were released. */
  | ({
      readonly id: 'classify.completed-after-release';
      readonly usualMs: number | null;
      readonly waitedFor: readonly string[];
    } & Hold)
  | ({ readonly id: 'classify.not-after-release'; readonly usualMs: number | null } & Hold)
  | { readonly id: 'classify.before-loop-turned'; readonly mainThreadMs: number }
  | { readonly id: 'classify.completed-while-blocked'; readonly ms: number | null; readonly threads: number }
  | { readonly id: 'classify.failed-while-blocked'; readonly error: string; readonly usualMs: number | null }
  | { readonly id: 'classify.failed'; readonly error: string }
  /** `how`: exit code 3, signal SIGABRT … */
  | { readonly id: 'classify.exited'; readonly how: string }
  | { readonly id: 'classify.never-completed'; readonly deadlineMs: number }
  | { readonly id: 'classify.event-loop-blocked'; readonly deadlineMs: number };

interface Hold {
  readonly windowMs: number;
  readonly threads: number;
}

export interface Decision {
  readonly verdict: PoolVerdict;
  readonly slowIo: boolean | null;
  readonly mainThreadMs: number | null;
  readonly waitsFor: readonly string[];
  readonly grounds: Grounds;
}

interface Circumstances {
  readonly size: number;
  readonly windowMs: number;
  readonly deadlineMs: number;
}

/** What the blocked run decides by itself; `null` when the same operation must also be seen with a free pool. */
export function decideBlocked(blocked: Probed, circumstances: Circumstances): Decision | null {
  const lost = decideLost(blocked, circumstances);
  if (lost !== null) return lost;
  const { observation } = blocked as Extract<Probed, { kind: 'observed' }>;
  const { outcome, whileBlocked, synchronous, ms, busyMs } = observation;
  if (outcome === 'failed' && synchronous) return failed(observation);
  if (outcome !== 'completed') return null;
  if (!whileBlocked)
    return observation.release?.firstServed
      ? waited(observation, observation.release.overtaken, (waitedFor) => ({
          id: 'classify.served-in-turn',
          ...hold(circumstances),
          waitedFor,
        }))
      : null;
  if (synchronous)
    return decision('main thread', { id: 'classify.before-loop-turned', mainThreadMs: busyMs }, busyMs);
  const grounds: Grounds = { id: 'classify.completed-while-blocked', ms, threads: circumstances.size };
  return { ...decision('kernel', grounds, busyMs), waitsFor: waitKinds(observation.callbacks) };
}

export function decide(blocked: Probed, free: Probed, circumstances: Circumstances): Decision {
  const early = decideBlocked(blocked, circumstances) ?? decideLost(free, circumstances);
  if (early !== null) return early;
  const { observation: then } = blocked as Extract<Probed, { kind: 'observed' }>;
  const { observation: alone } = free as Extract<Probed, { kind: 'observed' }>;
  if (alone.outcome === 'pending')
    return decision('timeout', {
      id: 'classify.never-completed',
      deadlineMs: circumstances.deadlineMs,
    });
  if (alone.outcome === 'failed') return failed(alone);
  const usualMs = alone.ms;
  if (then.outcome === 'completed' && circumstances.windowMs >= SURELY * (alone.ms ?? 0))
    return waited(alone, null, (waitedFor) => ({
      id: 'classify.completed-after-release',
      ...hold(circumstances),
      usualMs,
      waitedFor,
    }));
  const grounds: Grounds =
    then.outcome === 'failed'
      ? { id: 'classify.failed-while-blocked', error: errorText(then), usualMs }
      : { id: 'classify.not-after-release', ...hold(circumstances), usualMs };
  return decision('unclear', grounds, alone.busyMs);
}

/** Standing still for so many times what it usually takes, and completing after the release, is no accident. */
const SURELY = 10;

function waited(
  { callbacks, busyMs }: Observation,
  slowIo: boolean | null,
  grounds: (waitedFor: readonly string[]) => Grounds,
): Decision {
  const kinds = waitKinds(callbacks);
  return {
    verdict: kinds.length > 0 ? 'both' : 'pool',
    slowIo,
    mainThreadMs: busyMs,
    waitsFor: ['pool', ...kinds],
    grounds: grounds(kinds),
  };
}

const hold = ({ windowMs, size }: Circumstances): Hold => ({ windowMs, threads: size });

function decideLost(probed: Probed, circumstances: Circumstances): Decision | null {
  if (probed.kind === 'exited') return decision('failed', { id: 'classify.exited', how: probed.how });
  const { deadlineMs } = circumstances;
  if (probed.kind === 'stuck') return decision('timeout', { id: 'classify.event-loop-blocked', deadlineMs });
  return null;
}

const decision = (verdict: PoolVerdict, grounds: Grounds, mainThreadMs: number | null = null): Decision => ({
  ...{ verdict, grounds, mainThreadMs },
  ...{ slowIo: null, waitsFor: [] },
});

const failed = (observation: Observation): Decision =>
  decision('failed', { id: 'classify.failed', error: errorText(observation) });

const errorText = ({ error }: Observation): string =>
  `${error?.name ?? 'Error'}: ${error?.message ?? 'unknown'}`.slice(0, 300);

/** The async resources that may have stood for the pool's jobs. */
export const poolResources = (callbacks: readonly string[]): string[] =>
  callbacks.filter((type) => waitKindOf(type) === null);
