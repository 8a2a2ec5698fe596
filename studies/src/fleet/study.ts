import { spawnSync } from 'node:child_process';
import { usage } from '@plimsoll/lab';
// @ts-expect-error a script without declarations
import { findRedis } from '../../../scripts/redis.mjs';
import type { Condition, Contender, Effort, Judged, Metric, Study } from '../common/study.js';
import { findings } from './findings.js';

const CAPACITY: readonly Metric[] = [
  { id: 'rate', title: 'tasks/s', better: 'more', digits: 0 },
  { id: 'redis', title: 'CPU of Redis µs/task', better: 'less', digits: 0 },
  { id: 'host', title: 'of the host', better: 'less', digits: 0 },
  { id: 'workers', title: 'of the workers', better: 'less', digits: 0 },
];
const LATENCY: readonly Metric[] = [
  { id: 'p50', title: 'p50 µs', better: 'less', digits: 0 },
  { id: 'p99', title: 'p99 µs', better: 'less', digits: 0 },
];

const processes = (count: string): string => `${count} worker process${count === '1' ? '' : 'es'}`;

function contender(id: string): Contender {
  const [kind, count = ''] = id.split('-');
  if (kind === 'embedded') return { id, title: 'a pool of one thread in the same process' };
  return { id, title: `${kind === 'fleet' ? 'fleet' : 'BullMQ by hand'}, ${processes(count)}` };
}

/** What stands beside the fleet; else, how it grows. More pairs would make every interval wider. */
const BESIDE: readonly (readonly [one: string, other: string])[] = [
  ['embedded', 'fleet-1'],
  ['fleet-1', 'bullmq-1'],
];
const GROWTH = ['fleet-2', 'fleet-4', 'fleet-8'].map((one) => [one, 'fleet-1'] as const);

function judgedOf(ids: readonly string[], [metric]: readonly Metric[]): readonly Judged[] {
  const pairs = ids.includes('embedded') ? BESIDE : GROWTH;
  const there = pairs.filter((pair) => pair.every((id) => ids.includes(id)));
  return there.map(([one, other]) => [one, other, metric?.id ?? '']);
}

interface Plan {
  readonly id: string;
  readonly title: string;
  readonly contenders: readonly string[];
  /** For the quick effort; none: it leaves this out. */
  readonly quick: readonly string[];
  readonly parameters: Readonly<Record<string, number>>;
  readonly seconds: number;
}

const FLEETS = ['fleet-1', 'fleet-2', 'fleet-4'];
const KB = 1024;
const WINDOW_MS = 500;

/** `warmUp`: tasks for each worker process, before anything counts. */
const PLANS: readonly Plan[] = [
  {
    ...{ id: 'nothing', title: 'An empty task: a number', seconds: 80 },
    contenders: [...FLEETS, 'embedded', 'bullmq-1'],
    quick: ['fleet-1', 'embedded', 'bullmq-1'],
    parameters: { length: 0, inFlight: 200, windowMs: WINDOW_MS, warmUp: 1000 },
  },
  {
    ...{ id: '1-KB', title: '1 KB there and back', seconds: 75 },
    contenders: [...FLEETS, 'embedded', 'bullmq-1'],
    quick: [],
    parameters: { length: KB, inFlight: 200, windowMs: WINDOW_MS, warmUp: 1000 },
  },
  {
    ...{ id: '16-KB', title: '16 KB there and back', seconds: 55 },
    contenders: [...FLEETS, 'embedded'],
    quick: [],
    parameters: { length: 16 * KB, inFlight: 100, windowMs: WINDOW_MS, warmUp: 400 },
  },
  {
    ...{ id: '256-KB', title: '256 KB there and back', seconds: 55 },
    contenders: [...FLEETS, 'embedded'],
    quick: ['fleet-1', 'embedded'],
    parameters: { length: 256 * KB, inFlight: 16, windowMs: WINDOW_MS, warmUp: 40 },
  },
  {
    ...{ id: 'wait', title: 'A task that waits 5 ms', seconds: 60 },
    contenders: [...FLEETS, 'fleet-8'],
    quick: ['fleet-1', 'fleet-2'],
    parameters: { waitMs: 5, inFlight: 64, windowMs: WINDOW_MS, warmUp: 100 },
  },
  {
    ...{ id: 'latency', title: 'One empty task at a time', seconds: 30 },
    contenders: ['fleet-1', 'embedded', 'bullmq-1'],
    quick: ['fleet-1', 'embedded', 'bullmq-1'],
    parameters: { length: 0, inFlight: 1, tasks: 400, warmUp: 600 },
  },
];

const QUICK = { windowMs: 60, tasks: 20, warmUp: 10 };

function condition({ contenders, quick, parameters, ...about }: Plan, effort: Effort): Condition {
  const ids = effort === 'full' ? contenders : quick;
  const metrics = parameters.windowMs === undefined ? LATENCY : CAPACITY;
  const smaller = Object.entries(QUICK).filter(([name]) => name in parameters);
  return {
    ...about,
    contenders: ids.map(contender),
    baseline: 'fleet-1',
    metrics,
    judged: judgedOf(ids, metrics),
    parameters: effort === 'full' ? parameters : { ...parameters, ...Object.fromEntries(smaller) },
  };
}

/** @throws {PlimsollError} PLIMSOLL_USAGE when there is none */
function redisVersion(): string {
  const program = findRedis() as string | null;
  if (program === null) throw usage('study:fleet needs a redis-server; node scripts/install-programs.mjs');
  const text = spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout;
  return /v=([\d.]+)/.exec(text)?.[1] ?? 'unknown';
}

export const fleet: Study = {
  name: 'fleet',
  title: 'What a fleet can do',
  description: [
    'How many tasks a second a fleet (`@plimsoll/bullmq`) runs, how that grows with its worker processes, where the CPU time goes, and',
    'what stands beside it: a pool in the same process, and BullMQ as one writes it by hand',
    '([program.ts](../../studies/src/fleet/program.ts), [by-hand.ts](../../studies/src/fleet/by-hand.ts)). Every contender has a Redis',
    'and worker processes of its own, on one machine, so there is no network between them. A worker process has one thread, and one job',
    'at a time, also by hand, where the processor runs on the main thread and data is JSON, bytes as Base64. One host keeps 200 tasks',
    'under way (100 of 16 KB, 16 of 256 KB, 64 of those that wait); a window of 0.5 s of that is a round. Redis writes nothing to disk;',
    'ended jobs are kept for 10 s, 1000 at most. Worker processes have run up to 1000 tasks before: those that have run for minutes are',
    'faster, because V8 has compiled more of them.',
  ],
  packages: ['@plimsoll/bullmq', '@plimsoll/pool', 'bullmq', 'ioredis'],
  programs: () => ({ Redis: redisVersion() }),
  conditions: (effort) =>
    PLANS.filter(({ quick }) => effort === 'full' || quick.length > 0).map((plan) => condition(plan, effort)),
  findings,
};
