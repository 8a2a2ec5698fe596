import { waitKindOf, waitKinds } from '../libuv/wait-kinds.js';
import type { PoolVerdict } from '../results/classification.js';
import type { Observation } from './messages.js';
import type { Probed } from './probe.js';

/** A verdict, and the observation that it rests on in one sentence. */
export interface Decision {
  readonly verdict: PoolVerdict;
  readonly slowIo: boolean | null;
  readonly mainThreadMs: number | null;
  readonly waitsFor: readonly string[];
  readonly evidence: string;
}

export interface Circumstances {
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
      ? waited(
          observation,
          observation.release.overtaken,
          held(circumstances, 'went on when one was released'),
        )
      : null;
  if (synchronous)
    return {
      ...nothing,
      verdict: 'main thread',
      mainThreadMs: busyMs,
      evidence: `It was done before the event loop could turn, after ${time(busyMs)}.`,
    };
  const waitsFor = waitKinds(observation.callbacks);
  return {
    ...nothing,
    verdict: 'kernel',
    waitsFor,
    mainThreadMs: busyMs,
    evidence: `It completed after ${time(ms)} while all ${threads(circumstances.size)} were blocked.`,
  };
}

/** What both runs decide together. */
export function decide(blocked: Probed, free: Probed, circumstances: Circumstances): Decision {
  const early = decideBlocked(blocked, circumstances) ?? decideLost(free, circumstances);
  if (early !== null) return early;
  const { observation: then } = blocked as Extract<Probed, { kind: 'observed' }>;
  const { observation: alone } = free as Extract<Probed, { kind: 'observed' }>;
  if (alone.outcome === 'pending') return timeout(circumstances);
  if (alone.outcome === 'failed') return failed(alone);
  const usually = `it takes ${time(alone.ms)} when nothing is blocked`;
  if (then.outcome === 'completed' && circumstances.windowMs >= SURELY * (alone.ms ?? 0))
    return waited(alone, null, held(circumstances, `completed when they were released; ${usually}`));
  const what =
    then.outcome === 'failed'
      ? `It failed while the pool was blocked (${errorText(then)}); ${usually}.`
      : `${held(circumstances, 'did not go on when they were released')}; ${usually}.`;
  return { ...nothing, verdict: 'unclear', mainThreadMs: alone.busyMs, evidence: what };
}

/** Standing still for so many times what it usually takes, and completing after the release, is no accident. */
const SURELY = 10;

function waited({ callbacks, busyMs }: Observation, slowIo: boolean | null, evidence: string): Decision {
  const kinds = waitKinds(callbacks);
  return {
    verdict: kinds.length > 0 ? 'both' : 'pool',
    slowIo,
    mainThreadMs: busyMs,
    waitsFor: ['pool', ...kinds],
    evidence: kinds.length > 0 ? `${evidence}, and then waited for ${articles(kinds)}.` : `${evidence}.`,
  };
}

const held = ({ windowMs, size }: Circumstances, then: string): string =>
  `It stood still for ${time(windowMs)} while all ${threads(size)} were blocked, and ${then}`;

const articles = (kinds: readonly string[]): string =>
  kinds.map((kind) => (kind.endsWith('s') && kind !== 'process' ? kind : `a ${kind}`)).join(' and ');

function decideLost(probed: Probed, circumstances: Circumstances): Decision | null {
  if (probed.kind === 'exited')
    return { ...nothing, verdict: 'failed', evidence: `It ended its process (${probed.how}).` };
  if (probed.kind === 'stuck')
    return {
      ...nothing,
      verdict: 'timeout',
      evidence: `It never gave the thread of the event loop back, not within ${time(circumstances.deadlineMs)}.`,
    };
  return null;
}

const nothing = { slowIo: null, mainThreadMs: null, waitsFor: [] } as const;

const failed = (observation: Observation): Decision => ({
  ...nothing,
  verdict: 'failed',
  evidence: `It failed: ${errorText(observation)}.`,
});

const timeout = ({ deadlineMs }: Circumstances): Decision => ({
  ...nothing,
  verdict: 'timeout',
  evidence: `It did not complete within ${time(deadlineMs)}, with the pool blocked or not.`,
});

const errorText = ({ error }: Observation): string =>
  `${error?.name ?? 'Error'}: ${error?.message ?? 'unknown'}`.slice(0, 300);

const threads = (size: number): string => (size === 1 ? '1 pool thread' : `${size} pool threads`);

/** Milliseconds in a sentence. */
function time(ms: number | null): string {
  if (ms === null) return 'an unknown time';
  if (ms >= 1000) return `${Number((ms / 1000).toFixed(1))} s`;
  return `${ms >= 10 ? ms.toFixed(0) : ms.toFixed(ms >= 1 ? 1 : 2)} ms`;
}

/** The async resources that may have stood for the pool's jobs. */
export const poolResources = (callbacks: readonly string[]): string[] =>
  callbacks.filter((type) => waitKindOf(type) === null);
