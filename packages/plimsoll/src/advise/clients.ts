import { itemAt } from '../collections/item-at.js';
import type { TracedRequest } from '../results/trace.js';
import { median, quantile } from '../stats/quantile.js';

/** How a request came: at its own time, or from clients who wait for an answer before they ask again. */
export interface Asked {
  /** The clients that it comes from, a group of each event loop; `null` for one that came at its own time. */
  readonly group: number | null;
  /** It came when one of them had had an answer, so long after that in milliseconds; `null` for the first of a client. */
  readonly thinkMs: number | null;
}

const ON_ITS_OWN: Asked = { group: null, thinkMs: null };

/** A connection tells nothing with fewer answers after which it asked again, and neither do all of a loop with fewer. */
const LEAST_THINKS = 3;
const LEAST_IN_ALL = 8;
/**
 * Who asks as soon as the answer is there does so sooner than the next request would come by chance: at random, half of them
 * come after 0.69 of the mean gap between requests.
 */
const PROMPT = 0.3;
/** The middle half of the think times of one that thinks for as long each time is no wider than this share of their median. */
const REGULAR = 0.5;
/** Who asks at set times thinks the shorter the longer the answer took. */
const SET_TIMES = -0.5;
/** Of the requests on connections of their own, so many must find as many others under way. */
const CONSTANT = 0.8;

/**
 * Tell requests of clients in a closed loop from an open stream.
 *
 * A connection is a client's when its requests do not overlap and it asks again promptly (the median think time is below 0.3 of
 * the mean gap between requests of the loop), or after the same time each (the middle half within half of the median) without
 * the think time being short where the answer was slow, as with set times. What is left, such as clients that open a connection
 * for each request, is judged together: as many requests are under way after four of five arrivals, and arrivals are prompt.
 *
 * Limits: users that think for random times of more than the gaps between requests pass for an open stream, which they resemble;
 * a load generator with a bound on its connections that falls behind is a closed loop from then on, and is taken for one.
 *
 * @param allWait it is known that all waited for answers: what looks like an open stream, too, comes from clients.
 * @returns for each request how it came.
 */
export function askedBy(requests: readonly TracedRequest[], allWait = false): Asked[] {
  const asked = requests.map(() => ON_ITS_OWN);
  const loops = [...new Set(requests.map(({ loopThread }) => loopThread))];
  for (const [group, loop] of loops.entries()) {
    const own = [...requests.keys()]
      .filter((index) => itemAt(requests, index).loopThread === loop)
      .sort((a, b) => itemAt(requests, a).startMs - itemAt(requests, b).startMs);
    for (const [index, thinkMs] of clientsOf(requests, own, allWait)) asked[index] = { group, thinkMs };
  }
  return asked;
}

type Chain = readonly (readonly [index: number, thinkMs: number | null])[];

function clientsOf(requests: readonly TracedRequest[], own: readonly number[], allWait: boolean): Chain {
  const gapMs = meanGap(requests, own);
  const byConnection = new Map<number, number[]>();
  for (const index of own) {
    const { connection } = itemAt(requests, index);
    if (connection === null) continue;
    const same = byConnection.get(connection);
    if (same === undefined) byConnection.set(connection, [index]);
    else same.push(index);
  }
  const chains = [...byConnection.values()].map((same) => ({ same, chain: chainOf(requests, same) }));
  const closed = chains.filter(({ chain }) => chain !== null && isClient(requests, chain, gapMs));
  const known = new Set(closed.flatMap(({ same }) => same));
  const thinks = closed.reduce((sum, { same }) => sum + same.length - 1, 0);
  const rest = inFlightChain(
    requests,
    own.filter((index) => !known.has(index)),
  );
  if (allWait) return [...closed.flatMap(({ chain }) => chain ?? []), ...rest.chain];
  return [
    ...(thinks < LEAST_IN_ALL ? [] : closed.flatMap(({ chain }) => chain ?? [])),
    ...(isConstant(rest, gapMs) ? rest.chain : []),
  ];
}

const meanGap = (requests: readonly TracedRequest[], own: readonly number[]): number => {
  const [first, last] = [own[0], own.at(-1)];
  if (first === undefined || last === undefined || own.length < 2) return 0;
  return (itemAt(requests, last).startMs - itemAt(requests, first).startMs) / (own.length - 1);
};

/** The requests of a connection with their think times; `null` when they overlap or one of them had no end. */
function chainOf(requests: readonly TracedRequest[], own: readonly number[]): Chain | null {
  const chain: [number, number | null][] = [];
  let freeMs: number | null = null;
  for (const [place, index] of own.entries()) {
    const { startMs, endMs } = itemAt(requests, index);
    if (freeMs !== null && startMs < freeMs) return null;
    chain.push([index, freeMs === null ? null : startMs - freeMs]);
    // The last one may have been under way when the recording ended.
    if (endMs === null && place < own.length - 1) return null;
    freeMs = endMs;
  }
  return chain;
}

function isClient(requests: readonly TracedRequest[], chain: Chain, gapMs: number): boolean {
  const thinks = chain.flatMap(([, thinkMs]) => thinkMs ?? []);
  if (thinks.length < LEAST_THINKS) return false;
  const usual = median(thinks);
  if (usual <= PROMPT * gapMs) return true;
  const isRegular = quantile(thinks, 0.75) - quantile(thinks, 0.25) <= REGULAR * usual;
  return isRegular && correlation(latenciesBefore(requests, chain), thinks) > SET_TIMES;
}

const latenciesBefore = (requests: readonly TracedRequest[], chain: Chain): number[] =>
  chain.slice(0, -1).map(([index]) => {
    const { startMs, endMs } = itemAt(requests, index);
    return (endMs ?? startMs) - startMs;
  });

function correlation(a: readonly number[], b: readonly number[]): number {
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const [middleA, middleB] = [mean(a), mean(b)];
  let both = 0;
  let squaresA = 0;
  let squaresB = 0;
  for (const [index, value] of a.entries()) {
    const [fromA, fromB] = [value - middleA, itemAt(b, index) - middleB];
    both += fromA * fromB;
    squaresA += fromA ** 2;
    squaresB += fromB ** 2;
  }
  return squaresA === 0 || squaresB === 0 ? 0 : both / Math.sqrt(squaresA * squaresB);
}

interface InFlight {
  /** Each request follows an answer, whoever had it: who has waited longest asks first. */
  readonly chain: Chain;
  /** How many were under way after each arrival. */
  readonly counts: readonly number[];
}

function inFlightChain(requests: readonly TracedRequest[], own: readonly number[]): InFlight {
  const ends = own.flatMap((index) => itemAt(requests, index).endMs ?? []).sort((a, b) => a - b);
  const chain: [number, number | null][] = [];
  let ended = 0;
  let taken = 0;
  const counts = own.map((index, place) => {
    const { startMs } = itemAt(requests, index);
    while (ended < ends.length && itemAt(ends, ended) <= startMs) ended++;
    chain.push([index, taken < ended ? startMs - itemAt(ends, taken++) : null]);
    return place + 1 - ended;
  });
  return { chain, counts };
}

/** As many are always under way, and a new one comes as soon as one is answered. */
function isConstant({ chain, counts }: InFlight, gapMs: number): boolean {
  const thinks = chain.flatMap(([, thinkMs]) => thinkMs ?? []);
  if (thinks.length < LEAST_IN_ALL) return false;
  const times = new Map<number, number>();
  for (const count of counts) times.set(count, (times.get(count) ?? 0) + 1);
  const usual = Math.max(...times.values());
  return usual >= CONSTANT * chain.length && median(thinks) <= PROMPT * gapMs;
}

/** The first tenth of the requests: until then clients begin. */
const BEGINNING = 0.1;

/** How many were under way after each arrival but the first ones. */
export function underWay(requests: readonly TracedRequest[]): number[] {
  const own = [...requests.keys()].sort((a, b) => itemAt(requests, a).startMs - itemAt(requests, b).startMs);
  return inFlightChain(requests, own).counts.slice(Math.ceil(BEGINNING * own.length));
}

/** The last third of the requests took so many times as long as the first: a queue that grows. */
const GROWN = 2;

/** Whether requests took longer and longer, as they do when an open stream overloads the server. */
export function latenciesGrow(requests: readonly TracedRequest[]): boolean {
  const latencies = requests
    .flatMap(({ startMs, endMs }) => (endMs === null ? [] : [{ startMs, ms: endMs - startMs }]))
    .sort((a, b) => a.startMs - b.startMs)
    .map(({ ms }) => ms);
  const third = Math.floor(latencies.length / 3);
  return third > 0 && median(latencies.slice(-third)) >= GROWN * median(latencies.slice(0, third));
}
