import { contest, createRandom, type Environment, type Outcome, type Round, type Stop } from '@plimsoll/lab';
import { compareSlices } from './analyse.js';
import { LiveTarget, Machine } from './live-target.js';
import type { MeasuredTable } from './measured-table.js';
import { AS_IT_IS, type LoadPlan, type LoadProgress, type Table } from './options.js';
import type { LoadMeasurement } from './slice.js';
import {
  type Pilot,
  planSlices,
  type SlicesPlan,
  type SliceTraffic,
  trialTraffic,
  wholeCase,
} from './slices.js';
import type { LaunchContext } from './target/launch.js';
import type { Target } from './target/target.js';

export interface TableContext extends LaunchContext {
  readonly options: LoadPlan;
  readonly environment: Environment;
  /** Start a server of a size. */
  start(size: number): Promise<Target>;
  /** After each generation. */
  onGeneration(until: MeasuredTable, known: LoadProgress['known']): void;
}

/**
 * Measure one table: servers of all sizes take turns by slices of its traffic.
 *
 * @param earlier the same table as far as it was measured before it was interrupted; its complete generations count.
 * @throws whatever fails before there is a slice; else the reason is part of the outcome.
 */
export async function measureTable(
  table: Table,
  context: TableContext,
  earlier: MeasuredTable | null,
): Promise<MeasuredTable> {
  const started = performance.now() - (earlier?.seconds ?? 0) * 1000;
  const { options, random, signal } = context;
  const { sizes, baseline, timeMs, isolated } = options;
  const spent = (): number => performance.now() - started;
  const slices = earlier?.slices ?? (await planTable(table, context));
  const taken = earlier?.outcome;
  const offset = taken?.generations ?? 0;
  const machine = new Machine();
  let generation = offset;

  const measured = (outcome: Outcome<LoadMeasurement>, stop: Stop): MeasuredTable => ({
    table,
    isolated,
    slices,
    outcome: { ...continued(taken, outcome), stop },
    seconds: spent() / 1000,
  });

  const outcome = await contest<LoadMeasurement>({
    ids: sizes.filter((size) => !taken?.lost.has(size)),
    baseline,
    blocks: slices.blocks,
    mostGenerations: Math.max(1, slices.mostGenerations - offset),
    ...{ timeMs, startedMs: started, isolated },
    random: offset === 0 ? random : createRandom(options.seed + offset),
    signal,
    open: ([arm]) =>
      openLive(arm === 'twin' ? baseline : (arm as number), context, {
        ...{ machine, traffic: slices.traffic, instances: table.instances },
        firstSlice: generation * slices.blocks,
      }),
    judge: (until) => {
      generation++;
      const soFar = measured(until, 'interrupted');
      const known = compareSlices(soFar, options);
      context.onGeneration(soFar, known.result);
      // One size alone is compared with nothing but its twin.
      const isOver = (sizes.length === 1 && !isolated) || known.isHopeless;
      return { settled: isOver || (known.result?.settled ?? false) };
    },
  });
  return measured(outcome, outcome.stop);
}

/** What was measured before, and what has been since. */
function continued(
  before: Outcome<LoadMeasurement> | undefined,
  since: Outcome<LoadMeasurement>,
): Outcome<LoadMeasurement> {
  if (before === undefined) return since;
  const later = since.rounds.map(
    (round): Round<LoadMeasurement> => ({
      ...round,
      generation: round.generation + before.generations,
    }),
  );
  return {
    rounds: [...before.rounds, ...later],
    generations: before.generations + since.generations,
    lost: new Map([...before.lost, ...since.lost]),
    looks: [...before.looks, ...since.looks],
    disturbances: since.disturbances,
    stop: since.stop,
    error: since.error,
  };
}

async function planTable(table: Table, context: TableContext): Promise<SlicesPlan> {
  const { options, environment } = context;
  const { sizes, timeMs, blocks, target, isolated } = options;
  if (isolated || timeMs === null)
    return { traffic: wholeCase(table.traffic), blocks: 1, mostGenerations: blocks };
  const answersAtOnce = target.kind === 'sample' && table.traffic.kind === 'closed';
  const pilot = await tryOut(trialTraffic(table.traffic, answersAtOnce), table.instances, context);
  return planSlices(pilot, {
    whole: table.traffic,
    arms: sizes.length + 1,
    timeMs,
    cpus: environment.cpu.effectiveCpus,
    answersAtOnce,
  });
}

/** One slice of the baseline with nothing beside it. */
async function tryOut(traffic: SliceTraffic, instances: number, context: TableContext): Promise<Pilot> {
  const started = performance.now();
  const { baseline } = context.options;
  const live = await openLive(baseline, context, {
    ...{ traffic, instances, machine: new Machine() },
    firstSlice: 0,
  });
  try {
    const opened = performance.now();
    await live.round();
    const done = performance.now();
    await live.close();
    return {
      traffic,
      openMs: opened - started,
      sliceMs: done - opened,
      closeMs: performance.now() - done,
    };
  } finally {
    await live.end();
  }
}

interface Opening {
  readonly traffic: SliceTraffic;
  readonly instances: number;
  readonly machine: Machine;
  readonly firstSlice: number;
}

function openLive(
  size: number,
  { options, signal, start }: TableContext,
  { traffic, instances, machine, firstSlice }: Opening,
): Promise<LiveTarget> {
  const { target, seed, deadlineMs } = options;
  const plan = {
    ...{ traffic, instances },
    operationsPerRequest: target.kind === 'sample' ? target.operationsPerRequest : null,
    seed,
    deadlineMs,
    what: size === AS_IT_IS ? 'the server' : `size ${size}`,
  };
  return LiveTarget.open(plan, () => start(size), machine, signal, firstSlice);
}
