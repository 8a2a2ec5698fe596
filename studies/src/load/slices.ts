import { fitGenerations, type GenerationsFit } from '@plimsoll/lab';
import type { LoadCase } from './options.js';

/** The traffic that one server gets before the next one has its turn. */
export type SliceTraffic =
  | { readonly kind: 'closed'; readonly parallel: number; readonly requests: number }
  | { readonly kind: 'open'; readonly rate: number; readonly durationMs: number };

/** How the slices of a table go. */
export interface SlicesPlan extends Pick<GenerationsFit, 'blocks' | 'mostGenerations'> {
  readonly traffic: SliceTraffic;
}

/** What one slice of the baseline with nothing beside it shows. */
export interface Pilot {
  readonly traffic: SliceTraffic;
  /** From before its server was started until it had warmed up. */
  readonly openMs: number;
  readonly sliceMs: number;
  readonly closeMs: number;
}

/** Short against what disturbs a machine. */
const SLICE_MS = 1000;
/** Of an open loop: less says nothing about its slowest requests. */
const LEAST_REQUESTS = 50;

/** The whole traffic of a case as one slice: where only one server at a time lives. */
export const wholeCase = (traffic: LoadCase): SliceTraffic =>
  traffic.kind === 'closed'
    ? { kind: 'closed', parallel: traffic.parallel, requests: traffic.requests }
    : { kind: 'open', rate: traffic.rate, durationMs: traffic.durationMs };

/**
 * What a trial sends. An open loop is cut into pieces; of a server that answers when its work is done one request of each client
 * shows how many of them make a slice.
 *
 * @param answersAtOnce the server answers before its work is done, so that all requests of a case queue up in it: the queue is what
 * is studied, and such a case is never cut.
 */
export function trialTraffic(traffic: LoadCase, answersAtOnce: boolean): SliceTraffic {
  if (traffic.kind === 'open') {
    const pieceMs = Math.max(2 * SLICE_MS, (LEAST_REQUESTS * 1000) / traffic.rate);
    return { kind: 'open', rate: traffic.rate, durationMs: Math.min(traffic.durationMs, pieceMs) };
  }
  return answersAtOnce ? wholeCase(traffic) : { kind: 'closed', parallel: traffic.parallel, requests: 1 };
}

/**
 * Fit slices, blocks and generations to the time.
 *
 * @param arms slices of a block.
 * @param answersAtOnce see `trialTraffic`.
 */
export function planSlices(
  { traffic, openMs, sliceMs, closeMs }: Pilot,
  {
    whole,
    arms,
    timeMs,
    cpus,
    answersAtOnce,
  }: {
    readonly whole: LoadCase;
    readonly arms: number;
    readonly timeMs: number;
    readonly cpus: number;
    readonly answersAtOnce: boolean;
  },
): SlicesPlan {
  const requests =
    whole.kind === 'open' || answersAtOnce
      ? 1
      : Math.min(whole.requests, Math.max(1, Math.round(SLICE_MS / sliceMs)));
  const blockMs = arms * requests * sliceMs;
  // The servers start beside one another, and are stopped one after another.
  const aroundMs = openMs * Math.max(1, arms / cpus) + arms * closeMs;
  const { blocks, mostGenerations } = fitGenerations({ timeMs, aroundMs, blockMs });
  return {
    traffic: traffic.kind === 'closed' && !answersAtOnce ? { ...traffic, requests } : traffic,
    blocks,
    mostGenerations,
  };
}
