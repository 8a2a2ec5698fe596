import type { Finding } from '../../results/finding.js';
import type { TunedRoute, TunedSize, TuneResult } from '../../results/tune.js';
import { FIRST_LOOK } from '../../stats/looks.js';
import type { MeasuredTune, TuneNote } from '../../tune/answer.js';
import { change, formatChange, formatCount, formatDecimal, formatMs, list, percent } from '../format.js';

/** What was measured, with its sentences. */
export function tuneResultOf(measured: MeasuredTune): TuneResult {
  const { notes, ...result } = measured;
  const known = { measured, notes };
  return {
    ...result,
    headline: headlineOf(measured),
    findings: RULES.flatMap((rule) => rule(known.measured)),
  };
}

type Rule = (measured: MeasuredTune) => Finding[];

/** A smaller wait for a thread is no reason for anything. */
const NOTABLE_WAIT_MS = 1;
/** Lookups wait so much longer than other jobs where they have a queue of their own; less is how the two are measured. */
const LOOKUPS_QUEUE = 3;
const NOTABLE_LOOKUP_MS = 5;
/** Of all cores: what is left is no room for more threads. */
const BUSY_SHARE = 0.85;
/** A smaller chance is not worth a word. */
const LEAST_CHANCE = 0.005;
const MANY_FAILURES = 0.01;

export const objectiveText = ({ objective, method }: Pick<MeasuredTune, 'objective' | 'method'>): string => {
  if (method.unit === 'run') return objective === 'throughput' ? 'runs per second' : 'wall time';
  return { mean: 'mean latency', p99: '99th percentile', throughput: 'requests per second' }[objective];
};

export const sizeIn = ({ sizes }: Pick<MeasuredTune, 'sizes'>, size: number | null): TunedSize | undefined =>
  sizes.find((one) => one.size === size);

/** `−38 % mean latency against 4 [−45, −30]` */
export function gainText(
  result: Pick<MeasuredTune, 'objective' | 'method' | 'baseline'>,
  size: TunedSize,
): string {
  const ratio = size.ratio[result.objective];
  if (ratio === null) return '';
  const [amount, interval] = (
    size.interval === null ? change(ratio) : formatChange(ratio, size.interval)
  ).split(' [');
  return `${amount} ${objectiveText(result)} against ${result.baseline}${interval === undefined ? '' : ` [${interval}`}`;
}

function headlineOf(measured: MeasuredTune): string {
  const { answer, baseline, recommended, confidence } = measured;
  const chosen = sizeIn(measured, recommended);
  switch (answer) {
    case 'no pool use':
      return `${hardlyUsed(measured)} uses the pool: keep ${baseline}`;
    case 'no difference':
      return `The size does not matter: ${sizeRange(measured)} are as good as ${baseline} (estimates within 3 %); keep ${baseline}`;
    case 'keep':
      return `Keep ${baseline}: ${confidence === 'sure' ? 'no other size is better' : 'none is shown to be better'}`;
    case 'change':
      return `${confidence === 'sure' ? '' : 'Likely '}${recommended}: ${chosen === undefined ? '' : whatChanges(measured, chosen)}`;
    default:
      return `Cannot tell: keep ${baseline}; ${whyNot(measured)}`;
  }
}

function hardlyUsed({ sizes }: MeasuredTune): string {
  const busy = Math.max(...sizes.map(({ busyThreads }) => busyThreads ?? 0));
  return busy < 0.01 ? 'Nothing here' : 'Hardly anything here';
}

const sizeRange = ({ sizes }: MeasuredTune): string => `${sizes[0]?.size} to ${sizes.at(-1)?.size}`;

function whatChanges(measured: MeasuredTune, chosen: TunedSize): string {
  const { baseline } = measured;
  const slower = slowerRoutes(chosen, 'yes');
  const but = slower.length === 0 ? '' : `, but ${list(slower.map(slowerText))}`;
  if (chosen.ratio[measured.objective] === null)
    return `${baseline} does not keep up with the requests${but}`;
  if (chosen.verdict === 'same') return `as good as ${baseline}${but}`;
  return `${gainText(measured, chosen)}${but}`;
}

const slowerRoutes = ({ routes }: TunedSize, slower: TunedRoute['slower']): TunedRoute[] =>
  routes.filter((route) => route.slower === slower);

const slowerText = ({ route, ratio }: TunedRoute): string =>
  `${route} takes ${percent((ratio ?? 1) - 1)} % longer`;

/** Why no size can be named, and what would help. */
function whyNot(measured: MeasuredTune): string {
  const { twin, sizes, method, baseline, objective, notes } = measured;
  const minutes = notes.find((note) => note.id === 'tune.needs-minutes');
  if (minutes !== undefined)
    return `one run takes so long that an answer needs about ${formatCount(minutes.minutes, 'minute')}: give --time ${minutes.minutes * 60}`;
  if (twin?.noisy)
    return `the machine is too noisy: ${baseline} differs from itself by ${change(twin.ratio)}`;
  if (sizes.length > 0 && sizes.every(({ overloaded }) => overloaded))
    return 'no size keeps up with the requests that come: send fewer';
  if (method.blocks < FIRST_LOOK)
    return `too little was measured: ${formatCount(method.blocks, 'block')}, and ${FIRST_LOOK} are the least`;
  if (objective === 'p99' && sizes.every(({ p99Ms }) => p99Ms === null))
    return 'there were too few requests for a 99th percentile: send more, or give more --time';
  return 'sizes differ too little, or vary too much, to be told apart: give more --time';
}

const plural = (sizes: readonly unknown[], one: string, many: string): string =>
  sizes.length === 1 ? one : many;

const numbers = (sizes: readonly TunedSize[]): number[] => sizes.map(({ size }) => size);

const cannotTell: Rule = (measured) => {
  const { twin, baseline, answer, method } = measured;
  if (answer !== 'cannot tell') return [];
  if (twin?.noisy)
    return [
      {
        id: 'tune.noisy',
        severity: 'warning',
        text: `${baseline} differs from its twin by ${twin.interval === null ? change(twin.ratio) : formatChange(twin.ratio, twin.interval)}: something beside the size changes all the while; measure on a quieter machine, or for longer`,
        evidence: { ratio: twin.ratio, interval: twin.interval ?? [] },
      },
    ];
  const best = leaningTo(measured);
  if (best === undefined || best.size === baseline) return [];
  return [
    {
      id: 'tune.unclear',
      severity: 'note',
      text: `the estimates lean to ${best.size}: ${gainText(measured, best)}`,
      evidence: { size: best.size, blocks: method.blocks },
    },
  ];
};

/** The size with the best estimate. */
function leaningTo({ sizes, objective }: MeasuredTune): TunedSize | undefined {
  const rating = ({ ratio }: TunedSize): number =>
    objective === 'throughput' ? (ratio.throughput ?? 0) : -(ratio[objective] ?? Number.POSITIVE_INFINITY);
  return sizes.toSorted((a, b) => rating(b) - rating(a))[0];
}

const routesSlower: Rule = (measured) => {
  const chosen = sizeIn(measured, measured.recommended);
  if (chosen === undefined || chosen.size === measured.baseline) return [];
  const finding = (slower: 'yes' | 'maybe', id: string, verb: string): Finding[] => {
    const routes = slowerRoutes(chosen, slower);
    if (routes.length === 0) return [];
    const text = routes.map(({ route, ratio }) => `${route} (${change(ratio ?? 1)})`);
    return [
      {
        id,
        severity: 'warning',
        text: `at ${chosen.size} ${list(text)} ${verb} slower than at ${measured.baseline}`,
        evidence: { routes: routes.map(({ route }) => route), ratios: routes.map(({ ratio }) => ratio ?? 1) },
      },
    ];
  };
  return [
    ...finding('yes', 'tune.route-slower', plural(slowerRoutes(chosen, 'yes'), 'is', 'are')),
    ...finding('maybe', 'tune.route-unclear', 'may be'),
  ];
};

const chance: Rule = (measured) => {
  const chosen = sizeIn(measured, measured.recommended);
  if (chosen?.chanceSlower == null || chosen.chanceSlower < LEAST_CHANCE || measured.answer === 'no pool use')
    return [];
  return [
    {
      id: 'tune.chance',
      severity: 'note',
      text: `a chance of ${percent(chosen.chanceSlower)} % that ${chosen.size} is more than 5 % worse than the best size`,
      evidence: { chance: chosen.chanceSlower },
    },
  ];
};

const overloaded: Rule = ({ sizes }) => {
  const hit = sizes.filter((size) => size.overloaded);
  if (hit.length === 0) return [];
  return [
    {
      id: 'tune.overloaded',
      severity: 'warning',
      text: `${list(numbers(hit))} ${plural(hit, 'does', 'do')} not keep up with the requests that come, which pile up`,
      evidence: { sizes: numbers(hit) },
    },
  ];
};

const failing: Rule = ({ sizes, baseline }) => {
  const hit = sizes.filter((size) => size.failing);
  if (hit.length > 0)
    return [
      {
        id: 'tune.failing-sizes',
        severity: 'warning',
        text: `clearly more requests fail at ${list(numbers(hit))} than at ${baseline}: ${plural(hit, 'it is', 'they are')} out`,
        evidence: { sizes: numbers(hit), failed: hit.map(({ failed }) => failed) },
      },
    ];
  const failed = sizes.reduce((sum, size) => sum + size.failed, 0);
  const all = failed + sizes.reduce((sum, size) => sum + size.requests, 0);
  if (failed === 0 || failed / all < MANY_FAILURES) return [];
  return [
    {
      id: 'tune.failures',
      severity: 'warning',
      text: `${percent(failed / all)} % of the requests failed, whatever the size; only the others are compared`,
      evidence: { failed, requests: all },
    },
  ];
};

/** Where the time of a job goes: the wait for a thread at the baseline, and at the size that was chosen. */
const queueWait: Rule = (measured) => {
  const base = sizeIn(measured, measured.baseline);
  const chosen = sizeIn(measured, measured.recommended);
  const [before, after] = [base?.queueWaitMs.fast ?? null, chosen?.queueWaitMs.fast ?? null];
  if (before === null || Math.max(before, after ?? 0) < NOTABLE_WAIT_MS) return [];
  const isSame = chosen === undefined || after === null || chosen.size === measured.baseline;
  return [
    {
      id: 'tune.queue-wait',
      severity: 'note',
      text: isSame
        ? `a job waits ${formatMs(before)} for a pool thread at ${measured.baseline}`
        : `a job waits ${formatMs(before)} for a pool thread at ${measured.baseline}, and ${formatMs(after)} at ${chosen.size}`,
      evidence: { baselineMs: before, chosenMs: after },
    },
  ];
};

/** libuv lets lookups have half of the threads at a time. */
const lookupWait: Rule = (measured) => {
  const base = sizeIn(measured, measured.baseline);
  const { fast = null, slow = null } = base?.queueWaitMs ?? {};
  if (fast === null || slow === null || slow < NOTABLE_LOOKUP_MS || slow < LOOKUPS_QUEUE * fast) return [];
  const atOnce = Math.floor((measured.baseline + 1) / 2);
  return [
    {
      id: 'tune.lookup-wait',
      severity: 'note',
      text: `lookups wait ${formatMs(slow)} at ${measured.baseline}, and other jobs ${formatMs(fast)}: of ${measured.baseline} threads at most ${atOnce} look names up at a time`,
      evidence: { slowMs: slow, fastMs: fast },
    },
  ];
};

const coresBusy: Rule = (measured) => {
  const { recommended, environment, baseline } = measured;
  const cores = environment.cpu.effectiveCpus;
  const at = sizeIn(measured, recommended ?? baseline);
  const busy = at?.cpu.machineCores ?? null;
  if (busy === null || busy < BUSY_SHARE * cores) return [];
  return [
    {
      id: 'tune.cores-busy',
      severity: 'note',
      text: `${formatDecimal(busy)} of ${formatCount(cores, 'core')} are busy at ${at?.size}: more threads share them, and do not add any`,
      evidence: { busy, cores },
    },
  ];
};

const guarded =
  (
    id: string,
    flag: 'higherLoopDelay' | 'higherP99',
    what: string,
    figure: (size: TunedSize) => number | null,
  ): Rule =>
  (measured) => {
    const hit = measured.sizes.filter((size) => size[flag]);
    const chosen = sizeIn(measured, measured.recommended);
    const instead = chosen === undefined ? null : figure(chosen);
    if (hit.length === 0 || chosen === undefined || instead === null) return [];
    return [
      {
        id,
        severity: 'advice',
        text: `${list(numbers(hit))} ${plural(hit, 'is', 'are')} no faster than ${chosen.size}, and ${what} is ${list(hit.map((size) => formatMs(figure(size) ?? 0)))} instead of ${formatMs(instead)}`,
        evidence: { sizes: numbers(hit), ms: hit.map((size) => figure(size) ?? 0), insteadOfMs: instead },
      },
    ];
  };

const loopDelay = guarded(
  'tune.event-loop-delay',
  'higherLoopDelay',
  'the event-loop delay (p99)',
  ({ loopDelayMs }) => loopDelayMs?.p99 ?? null,
);
const higherP99 = guarded('tune.p99', 'higherP99', 'the 99th percentile', ({ p99Ms }) => p99Ms);

const tryLarger: Rule = ({ answer, recommended, sizes }) => {
  const largest = sizes.at(-1)?.size;
  if (answer !== 'change' || recommended !== largest || largest === undefined) return [];
  return [
    {
      id: 'tune.try-larger',
      severity: 'advice',
      text: `${largest} is the largest size that was tried: try larger ones, with --sizes ${largest},${2 * largest},${4 * largest}`,
      evidence: { size: largest },
    },
  ];
};

const openStream: Rule = ({ objective, method }) =>
  method.openStream && objective === 'throughput'
    ? [
        {
          id: 'tune.open-stream',
          severity: 'warning',
          text: 'as many requests come whatever the size, so that requests per second tell nothing: compare by --objective mean',
          evidence: {},
        },
      ]
    : [];

const leftEarly: Rule = ({ sizes }) => {
  const left = sizes.filter((size) => size.leftEarly);
  if (left.length === 0) return [];
  return [
    {
      id: 'tune.left-early',
      severity: 'note',
      text: `${list(numbers(left))} left early: more than 10 % worse than the best, so that the time went to the others`,
      evidence: { sizes: numbers(left) },
    },
  ];
};

const disturbed: Rule = ({ sizes, method }) => {
  const hit = sizes.flatMap(({ rounds }) => rounds).filter((round) => round.disturbed).length;
  if (hit === 0) return [];
  return [
    {
      id: 'tune.disturbed',
      severity: 'note',
      text: `${hit} of ${formatCount(method.windows, 'window')} were disturbed (a process came or went, or the traffic paused), and are not compared`,
      evidence: { disturbed: hit, windows: method.windows },
    },
  ];
};

const NOTE_TEXTS: {
  readonly [Id in TuneNote['id']]: (
    note: Extract<TuneNote, { readonly id: Id }>,
  ) => [Finding['severity'], string];
} = {
  'tune.app-sets-size': ({ limit, wanted }) => [
    'warning',
    `the app sets UV_THREADPOOL_SIZE itself: it has ${formatCount(limit, 'thread')}, so that no size up to ${wanted} beyond that could be tried`,
  ],
  'tune.sizes-left-out': ({ sizes, because, limit }) => [
    'warning',
    `${list(sizes)} ${plural(sizes, 'was', 'were')} left out: ${{ memory: 'there is memory for', pids: 'the limit of processes (pids) leaves room for', limit: 'the pool can be resized up to' }[because]} ${formatCount(limit, 'thread')}`,
  ],
  'tune.traffic-restarted': ({ times }) => [
    'note',
    `the command that sends the requests ended before the answer was known, and was started anew ${formatCount(times, 'time')}`,
  ],
  'tune.traffic-limited': ({ detail }) => ['warning', detail],
  'tune.needs-minutes': ({ minutes }) => [
    'warning',
    `one run takes so long that an answer needs about ${formatCount(minutes, 'minute')}`,
  ],
  'tune.put-back': ({ size, because }) => [
    'warning',
    `the old size was put back at once at ${size}: ${{ failures: 'requests failed', overload: 'requests piled up', p99: 'the 99th percentile rose', delay: 'the event loop was late' }[because]}`,
  ],
};

const whatHappened: Rule = ({ notes }) =>
  notes.map((note): Finding => {
    const { id, ...evidence } = note;
    const [severity, text] = NOTE_TEXTS[id](note as never);
    return { id, severity, text, evidence: evidence as Finding['evidence'] };
  });

/** In the order in which they are told. */
const RULES: readonly Rule[] = [
  cannotTell,
  routesSlower,
  overloaded,
  failing,
  whatHappened,
  openStream,
  queueWait,
  lookupWait,
  coresBusy,
  loopDelay,
  higherP99,
  chance,
  tryLarger,
  leftEarly,
  disturbed,
];
