import {
  type AlternatingOutcome,
  type AlternatingRound,
  alternate,
  createRandom,
  type Environment,
  groupsThatFit,
  roomOf,
  type Stop,
} from 'plimsoll/lab';
import { compareSlices } from './analyse.js';
import { LiveTarget, Machine } from './live-target.js';
import type { MeasuredTable } from './measured-table.js';
import { AS_IT_IS, type LoadPlan, type LoadProgress, type Table } from './options.js';
import type { LoadMeasurement } from './slice.js';
import { type Pilot, planSlices, type SliceTraffic, trialTraffic, wholeCase } from './slices.js';
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

/** Its processes' memory when it cannot be known. */
const USUAL_RSS_BYTES = 2 ** 26;

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
  const { slices, groups } = earlier ?? (await planTable(table, context));
  const taken = earlier?.outcome;
  const offset = taken?.generations ?? 0;
  const machine = new Machine();
  let generation = offset;

  const measured = (outcome: AlternatingOutcome<LoadMeasurement>, stop: Stop): MeasuredTable => ({
    table,
    isolated,
    slices,
    groups,
    outcome: { ...continued(taken, outcome), stop },
    seconds: spent() / 1000,
  });

  const outcome = await alternate<LoadMeasurement>({
    groups: groups.map((group) => group.filter((size) => !taken?.lost.has(size))),
    baseline,
    blocks: slices.blocks,
    mostGenerations: Math.max(1, slices.mostGenerations - offset),
    isolated,
    random: offset === 0 ? random : createRandom(options.seed + offset),
    signal,
    open: (arm) =>
      openLive(arm === 'twin' ? baseline : arm, context, {
        ...{ machine, traffic: slices.traffic, instances: table.instances },
        firstSlice: generation * slices.blocks,
      }),
    hasTime: (generationMs) => timeMs === null || spent() + generationMs <= timeMs,
    isSettled: (until) => {
      generation++;
      const soFar = measured(until, 'interrupted');
      const known = compareSlices(soFar, options);
      context.onGeneration(soFar, known.result);
      // One size alone is compared with nothing but its twin.
      return (sizes.length === 1 && !isolated) || known.isHopeless || (known.result?.settled ?? false);
    },
  });
  return measured(outcome, outcome.stop);
}

/** What was measured before, and what has been since. */
function continued(
  before: AlternatingOutcome<LoadMeasurement> | undefined,
  since: AlternatingOutcome<LoadMeasurement>,
): AlternatingOutcome<LoadMeasurement> {
  if (before === undefined) return since;
  const later = since.rounds.map(
    (round): AlternatingRound<LoadMeasurement> => ({
      ...round,
      generation: round.generation + before.generations,
    }),
  );
  return {
    rounds: [...before.rounds, ...later],
    generations: before.generations + since.generations,
    lost: new Map([...before.lost, ...since.lost]),
    looks: before.looks + since.looks,
    stop: since.stop,
    error: since.error,
  };
}

async function planTable(
  table: Table,
  context: TableContext,
): Promise<Pick<MeasuredTable, 'slices' | 'groups'>> {
  const { options, environment } = context;
  const { sizes, baseline, timeMs, blocks, target, isolated } = options;
  const others = sizes.filter((size) => size !== baseline);
  if (isolated || timeMs === null)
    return {
      slices: { traffic: wholeCase(table.traffic), blocks: 1, mostGenerations: blocks },
      groups: [others],
    };
  const answersAtOnce = target.kind === 'sample' && table.traffic.kind === 'closed';
  const pilot = await tryOut(trialTraffic(table.traffic, answersAtOnce), table.instances, context);
  const slices = planSlices(pilot, {
    whole: table.traffic,
    arms: sizes.length + 1,
    timeMs,
    cpus: environment.cpu.effectiveCpus,
    answersAtOnce,
  });
  // Each of its processes has a pool and memory of its own; PM2 adds its daemon.
  const processes = table.instances + (table.mode.startsWith('pm2') ? 1 : 0);
  const { threads, bytes } = roomOf(environment.limits);
  const room = { threads: threads === null ? null : threads / processes, bytes: bytes / processes };
  return { slices, groups: groupsThatFit(sizes, baseline, room, pilot.rssBytes / table.instances) };
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
    const { maxRssBytes } = await live.round();
    const done = performance.now();
    await live.close();
    return {
      traffic,
      openMs: opened - started,
      sliceMs: done - opened,
      closeMs: performance.now() - done,
      rssBytes: maxRssBytes ?? USUAL_RSS_BYTES,
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
