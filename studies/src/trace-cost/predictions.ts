// Whether a prediction from a share of the requests is as good as one from all of them: servers at several pool sizes are measured
// by turns, and a server at libuv's default size is recorded in between, all of its requests and a tenth of them.
import { advise } from 'plimsoll';
import { median, quantile, type Random, type Trace } from 'plimsoll/lab';
import type { LifeCycle } from '../common/command.js';
import { arrive } from './load.js';
import { openApp, type Plan } from './run.js';

/** What users felt at a size, in milliseconds. */
export interface Felt {
  readonly meanMs: number;
  readonly p99Ms: number;
}

export interface SizePredictions {
  readonly size: number;
  readonly measured: Felt;
  /** By the share of the requests that was recorded: the medians of several recordings. */
  readonly predicted: Readonly<Record<string, Felt>>;
}

export interface Predictions {
  readonly sizes: readonly SizePredictions[];
  readonly perSecond: number;
  /** Of each share, how many requests were recorded whole, the median. */
  readonly whole: Readonly<Record<string, number>>;
  readonly rounds: number;
}

const APP = 'mixed';
const SIZES = [1, 2, 4, 16];
const RECORDED_SIZE = 4;
const ROUNDS = 3;
/** Of each size in a round. */
const SLICES = 5;

interface Place {
  readonly plan: Plan;
  readonly directory: string;
  readonly random: Random;
}

/** @param perSecond requests at random moments. @param shares of the requests that are recorded, by name. */
export async function predictions(
  { plan, directory, random }: Place,
  perSecond: number,
  shares: Readonly<Record<string, number>>,
  cycle: LifeCycle,
): Promise<Predictions> {
  const latencies = new Map<number, number[]>(SIZES.map((size) => [size, []]));
  const recordings = new Map<string, Trace[]>(Object.keys(shares).map((name) => [name, []]));
  const rounds = plan.isQuick ? 1 : ROUNDS;
  const slices = plan.isQuick ? 1 : SLICES;
  const place = { app: APP, plan, directory, drive: arrive(perSecond, random) };
  for (let round = 0; round < rounds; round++) {
    process.stderr.write(`${APP}: predictions, round ${round + 1} of ${rounds}\n`);
    await measureSizes(place, slices, (size, own) => latencies.get(size)?.push(...own), cycle);
    for (const [name, sample] of Object.entries(shares)) {
      const drive = arrive(perSecond, random);
      const lasting = { ...plan, warmMs: 0, ms: SIZES.length * slices * plan.ms };
      const order = { ...place, plan: lasting, drive, sample, size: RECORDED_SIZE };
      const turn = await openApp({ ...order, onTrace: (trace) => recordings.get(name)?.push(trace) }, cycle);
      try {
        await turn.round();
        await turn.close();
      } finally {
        await turn.end();
      }
    }
  }
  const advices = await predicted(recordings);
  return {
    sizes: SIZES.map((size) => ({
      size,
      measured: feltOf(latencies.get(size) ?? []),
      predicted: Object.fromEntries(
        Object.keys(shares).map((name) => [
          name,
          middleOf(advices.get(name)?.map((one) => one.get(size)) ?? []),
        ]),
      ),
    })),
    perSecond,
    whole: Object.fromEntries([...recordings].map(([name, traces]) => [name, median(traces.map(followed))])),
    rounds,
  };
}

async function measureSizes(
  place: Omit<Parameters<typeof openApp>[0], 'sample' | 'size'>,
  slices: number,
  take: (size: number, latencies: readonly number[]) => void,
  cycle: LifeCycle,
): Promise<void> {
  const drive: typeof place.drive = async (port, ms) => {
    const answers = await place.drive(port, ms);
    last = answers.latencies;
    return answers;
  };
  let last: readonly number[] = [];
  const turns = [];
  try {
    for (const size of SIZES)
      turns.push({ size, turn: await openApp({ ...place, drive, sample: null, size }, cycle) });
    for (let slice = 0; slice < slices; slice++)
      for (const { size, turn } of turns) {
        await turn.round();
        take(size, last);
      }
    for (const { turn } of turns) await turn.close();
  } finally {
    for (const { turn } of turns) await turn.end();
  }
}

async function predicted(
  recordings: ReadonlyMap<string, readonly Trace[]>,
): Promise<Map<string, Map<number, Felt>[]>> {
  const found = new Map<string, Map<number, Felt>[]>();
  for (const [name, traces] of recordings) {
    const own: Map<number, Felt>[] = [];
    for (const trace of traces) {
      const { predictions: all } = await advise(trace, { sizes: SIZES });
      own.push(
        new Map(
          all.map(({ size, requests }) => [
            size,
            { meanMs: requests?.latencyMs.mean ?? Number.NaN, p99Ms: requests?.latencyMs.p99 ?? Number.NaN },
          ]),
        ),
      );
    }
    found.set(name, own);
  }
  return found;
}

const feltOf = (latencies: readonly number[]): Felt => ({
  meanMs: latencies.reduce((sum, ms) => sum + ms, 0) / latencies.length,
  p99Ms: quantile(latencies, 0.99),
});

const middleOf = (all: readonly (Felt | undefined)[]): Felt => ({
  meanMs: median(all.map((one) => one?.meanMs ?? Number.NaN)),
  p99Ms: median(all.map((one) => one?.p99Ms ?? Number.NaN)),
});

const followed = ({ processes }: Trace): number =>
  processes.reduce((sum, { requests }) => sum + requests.filter(({ sampled }) => sampled).length, 0);
