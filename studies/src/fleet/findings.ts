import { formatFigure } from '@plimsoll/benchmarks/format';
import { markdownTable } from '@plimsoll/lab';
import { times } from '../common/claims.js';
import { compare, judge, ratio } from '../common/compare.js';
import { type ConditionResult, conditionOf, isLost, type StudyResult } from '../common/result.js';
import { left, middle, right, spread } from '../common/tables.js';

/** So much of linear counts as linear. */
const NEAR_LINEAR = 0.9;
/** A thread, or all CPUs, used so much are what limits: what the kernel does between processes counts for none of them. */
const BUSY = 0.8;
const PARTS = { redis: 'Redis', host: 'the host process', workers: 'the workers' } as const;
type Part = keyof typeof PARTS;
const ALL = Object.keys(PARTS) as Part[];

export function findings(result: StudyResult): string[] {
  const { conditions, environment } = result;
  const capacity = conditions.filter((one) => one.metrics.some(({ id }) => id === 'rate'));
  const payloads = capacity.filter(({ id }) => id !== 'wait');
  const cpus = environment.cpu.effectiveCpus;
  return [
    '## Tasks a second',
    '',
    ...capacityTable(payloads),
    '',
    `This machine has ${cpus} CPUs, which Redis, the host and all workers share: tasks that compute cannot get faster here by more`,
    'worker processes than that, and what is left for them is what the others do not use.',
    '',
    ...payloads.map((one) => `- ${one.title}: ${growth(one, cpus)}`),
    '',
    '## How it grows with worker processes',
    '',
    ...waiting(conditionOf(result, 'wait'), cpus),
    '',
    '## Where the CPU time goes',
    '',
    'Microseconds of CPU time a task, and cores in use at that rate. A pool in the same process counts as the host.',
    '',
    ...cpuTable(capacity),
    '',
    '## Beside a pool in the same process',
    '',
    ...payloads.map((one) => `- ${one.title}: ${beside(one)}`),
    '',
    '## Beside BullMQ by hand',
    '',
    ...payloads.flatMap(byHand),
    '',
    '## One task at a time',
    '',
    ...oneAtATime(conditionOf(result, 'latency')),
  ];
}

const counted = (count: number): string => `${count} worker process${count === 1 ? '' : 'es'}`;
const rateOf = (one: ConditionResult, id: string): string =>
  `${formatFigure(middle(one, id, 'rate'), 0)} tasks/s`;

/** The numbers of worker processes that were measured. */
const fleetsOf = (one: ConditionResult): number[] =>
  one.contenders.flatMap(({ id }) =>
    id.startsWith('fleet-') && !isLost(one, id) ? [Number(id.slice('fleet-'.length))] : [],
  );

function capacityTable(payloads: readonly ConditionResult[]): string[] {
  const counts = [...new Set(payloads.flatMap(fleetsOf))];
  return markdownTable(
    [left('a task'), ...counts.map((count) => right(counted(count)))],
    payloads.map((one) => {
      const rate = one.metrics.find(({ id }) => id === 'rate');
      return [
        one.title,
        ...counts.map((count) => (rate === undefined ? '–' : spread(one, `fleet-${count}`, rate))),
      ];
    }),
  );
}

const cores = (one: ConditionResult, id: string, part: Part): number =>
  (middle(one, id, 'rate') * middle(one, id, part)) / 1e6;

const allCores = (one: ConditionResult, id: string): number =>
  ALL.reduce((sum, part) => sum + cores(one, id, part), 0);

/** What was at its limit. A host and a Redis have one thread that counts, and never get more than a core. */
function limitOf(one: ConditionResult, id: string, cpus: number): string {
  const busy = (['redis', 'host'] as const).filter((part) => cores(one, id, part) >= BUSY);
  const all = allCores(one, id);
  const inUse = `${all.toFixed(2)} of ${cpus} CPUs are in use`;
  if (all >= BUSY * cpus) return `the limit is the CPUs of the machine: ${inUse}, ${shares(one, id)}`;
  if (busy.length > 0)
    return `the limit is ${busy.map((part) => `${PARTS[part]} (${cores(one, id, part).toFixed(2)} cores)`).join(' and ')}; ${inUse}`;
  return `nothing is at its limit: ${inUse}; between two tasks a worker process waits for Redis, the longer the more of the CPUs are in use`;
}

/** `0.40 by Redis, 0.50 by the host process, 1.00 by the workers`. */
const shares = (one: ConditionResult, id: string): string =>
  ALL.map((part) => `${cores(one, id, part).toFixed(2)} by ${PARTS[part]}`).join(', ');

const VERDICTS = {
  better: 'faster',
  worse: 'slower',
  same: 'as fast',
  unclear: 'not clearly different',
} as const;

/** From one worker process to the most of them. */
function growth(one: ConditionResult, cpus: number): string {
  const most = Math.max(...fleetsOf(one));
  const id = `fleet-${most}`;
  if (most <= 1) return `${rateOf(one, id)} by one worker process; ${limitOf(one, id, cpus)}.`;
  // Exploratory: its interval holds by itself.
  const found = compare(one, id, 'fleet-1', 'rate');
  return (
    `${rateOf(one, 'fleet-1')} by one worker process, ${times(found)} that by ${most} (${VERDICTS[found?.verdict ?? 'unclear']}). ` +
    `With ${most}, ${limitOf(one, id, cpus)}.`
  );
}

function waiting(one: ConditionResult | undefined, cpus: number): string[] {
  if (one === undefined) return [];
  const counts = fleetsOf(one);
  const steps = counts.map((count) => {
    const found = count === 1 ? undefined : judge(one, `fleet-${count}`, 'fleet-1', 'rate');
    return { count, found, share: count === 1 ? 1 : (found?.ratio ?? Number.NaN) / count };
  });
  const lost = steps.findIndex(({ share }) => !(share >= NEAR_LINEAR));
  const linear = steps[(lost === -1 ? steps.length : lost) - 1];
  const bent = steps[lost];
  const ms = one.parameters.waitMs ?? 0;
  return [
    ...markdownTable(
      [
        ...[right('worker processes'), right('tasks/s'), right('× one'), right('of linear')],
        ...[right('cores: Redis'), right('host'), right('workers'), right('all')],
      ],
      steps.map(({ count, found, share }) => {
        const id = `fleet-${count}`;
        const parts = ALL.map((part) => cores(one, id, part).toFixed(2));
        return [
          ...[
            String(count),
            formatFigure(middle(one, id, 'rate'), 0),
            found === undefined ? '1' : ratio(found),
          ],
          ...[`${(share * 100).toFixed(0)} %`, ...parts, allCores(one, id).toFixed(2)],
        ];
      }),
    ),
    '',
    `A task waits ${ms} ms without a CPU, so workers do not take CPUs from one another. A thread that never rested would run ` +
      `${formatFigure(1000 / ms, 0)} tasks/s; one worker process runs ${formatFigure(middle(one, 'fleet-1', 'rate'), 0)}: ` +
      'the rest of its time is the way to Redis and back, for each task.',
    '',
    `Within ${((1 - NEAR_LINEAR) * 100).toFixed(0)} % of linear up to ${counted(linear?.count ?? 1)}.` +
      (bent === undefined
        ? ` With ${counted(counts.at(-1) ?? 1)}, ${limitOf(one, `fleet-${counts.at(-1)}`, cpus)}.`
        : ` With ${counted(bent.count)} it is ${(bent.share * 100).toFixed(0)} % of linear; ${limitOf(one, `fleet-${bent.count}`, cpus)}.`),
  ];
}

function cpuTable(conditions: readonly ConditionResult[]): string[] {
  return markdownTable(
    [
      ...[left('a task'), left(''), ...ALL.map((part) => right(`${PARTS[part]} µs`))],
      ...[right('all µs'), right('cores in use')],
    ],
    conditions.flatMap((one) =>
      one.contenders.map(({ id, title }) => {
        const micro = ALL.map((part) => middle(one, id, part));
        const figures = [...micro, micro.reduce((sum, value) => sum + value, 0)];
        return [
          ...[one.title, title, ...figures.map((value) => formatFigure(value, value < 10 ? 1 : 0))],
          allCores(one, id).toFixed(2),
        ];
      }),
    ),
  );
}

function beside(one: ConditionResult): string {
  const found = judge(one, 'embedded', 'fleet-1', 'rate');
  return (
    `the pool runs ${rateOf(one, 'embedded')} with one thread, the fleet ${rateOf(one, 'fleet-1')} with one worker process of one ` +
    `thread: embedded / fleet ${times(found)}.`
  );
}

function byHand(one: ConditionResult): string[] {
  return one.contenders.flatMap(({ id }) => {
    const [kind, count] = id.split('-');
    if (kind !== 'bullmq') return [];
    const found = judge(one, `fleet-${count}`, id, 'rate');
    const micro = (whose: string): string =>
      formatFigure(
        ALL.reduce((sum, part) => sum + middle(one, whose, part), 0),
        0,
      );
    return [
      `- ${one.title}, ${counted(Number(count))}: the fleet is ${VERDICTS[found?.verdict ?? 'unclear']}, ${rateOf(one, `fleet-${count}`)} to ` +
        `${rateOf(one, id)}: fleet / by hand ${times(found)}; CPU time a task ${micro(`fleet-${count}`)} µs to ${micro(id)} µs.`,
    ];
  });
}

function oneAtATime(one: ConditionResult | undefined): string[] {
  if (one === undefined) return [];
  const ms = (id: string, metric: string): string => `${(middle(one, id, metric) / 1000).toFixed(2)} ms`;
  return one.contenders.map(({ id, title }) => {
    const compared =
      id === 'fleet-1'
        ? ''
        : id === 'embedded'
          ? `; embedded / fleet ${times(judge(one, id, 'fleet-1', 'p50'))} by p50`
          : `; fleet / by hand ${times(judge(one, 'fleet-1', id, 'p50'))} by p50`;
    return `- ${title}: ${ms(id, 'p50')} (p50), ${ms(id, 'p99')} (p99)${compared}.`;
  });
}
