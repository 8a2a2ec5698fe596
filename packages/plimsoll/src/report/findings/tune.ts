import { slowJobLimit } from '../../libuv/pool-size.js';
import type { TunedRoute, TunedSize, TuneResult } from '../../results/tune.js';
import { FIRST_LOOK } from '../../stats/looks.js';
import type { MeasuredTune, TuneNote } from '../../tune/answer.js';
import {
  change,
  formatChange,
  formatCount,
  formatDecimal,
  formatMs,
  list,
  percent,
  verb,
} from '../format.js';
import { advice, factual, findAll, note, type RuleOver, type Texts, warning } from './finding.js';

export function tuneResultOf(measured: MeasuredTune): TuneResult {
  const { notes, ...result } = measured;
  return { ...result, headline: headlineOf(measured), findings: findAll(RULES, measured) };
}

type Rule = RuleOver<[measured: MeasuredTune]>;

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
function gainText(result: MeasuredTune, size: TunedSize): string {
  const ratio = size.ratio[result.objective];
  if (ratio === null) return '';
  const interval = formatChange(ratio, size.interval).slice(change(ratio).length);
  return `${change(ratio)} ${objectiveText(result)} against ${result.baseline}${interval}`;
}

function headlineOf(measured: MeasuredTune): string {
  const { answer, baseline, recommended, confidence } = measured;
  const chosen = sizeIn(measured, recommended);
  const busy = Math.max(...measured.sizes.map(({ busyThreads }) => busyThreads ?? 0));
  switch (answer) {
    case 'no pool use':
      return `${busy < 0.01 ? 'Nothing here' : 'Hardly anything here'} uses the pool: keep ${baseline}`;
    case 'no difference':
      return `The size does not matter: ${measured.sizes[0]?.size} to ${measured.sizes.at(-1)?.size} are as good as ${baseline} (estimates within 3 %); keep ${baseline}`;
    case 'keep':
      return `Keep ${baseline}: ${confidence === 'sure' ? 'no other size is better' : 'no other size was shown to be better'}`;
    case 'change':
      return `${confidence === 'sure' ? '' : 'Likely '}${recommended}: ${chosen === undefined ? '' : whatChanges(measured, chosen)}`;
    default:
      return `Cannot tell: keep ${baseline}; ${whyNot(measured)}`;
  }
}

function whatChanges(measured: MeasuredTune, chosen: TunedSize): string {
  const { baseline } = measured;
  const slower = slowerRoutes(chosen, 'yes');
  const but = slower.length === 0 ? '' : `, but ${list(slower.map(slowerText))}`;
  if (chosen.ratio[measured.objective] === null) return `${baseline} cannot keep up with the requests${but}`;
  if (chosen.verdict === 'same') return `as good as ${baseline}${but}`;
  return `${gainText(measured, chosen)}${but}`;
}

const slowerRoutes = ({ routes }: TunedSize, slower: TunedRoute['slower']): TunedRoute[] =>
  routes.filter((route) => route.slower === slower);

const slowerText = ({ route, ratio }: TunedRoute): string =>
  `${route} takes ${percent((ratio ?? 1) - 1)} % longer`;

function whyNot(measured: MeasuredTune): string {
  const { twin, sizes, method, baseline, objective, notes } = measured;
  const minutes = notes.find((note) => note.id === 'tune.needs-minutes');
  if (minutes !== undefined)
    return `one run takes so long that an answer needs about ${formatCount(minutes.minutes, 'minute')}: set --time ${minutes.minutes * 60}`;
  if (twin?.noisy)
    return `the machine is too noisy: two measurements of ${baseline} differ by ${change(twin.ratio)}`;
  if (sizes.length > 0 && sizes.every(({ overloaded }) => overloaded))
    return 'no size can keep up with the incoming requests: send fewer';
  if (method.blocks < FIRST_LOOK)
    return `the measurement has ${formatCount(method.blocks, 'block')} and needs at least ${FIRST_LOOK}`;
  if (objective === 'p99' && sizes.every(({ p99Ms }) => p99Ms === null))
    return 'too few requests arrived for a 99th percentile: send more, or raise --time';
  return 'the sizes differ too little, or vary too much, to tell them apart: raise --time';
}

const numbers = (sizes: readonly TunedSize[]): number[] => sizes.map(({ size }) => size);

const cannotTell: Rule = (measured) => {
  const { twin, baseline, answer, method } = measured;
  if (answer !== 'cannot tell') return null;
  if (twin?.noisy) {
    const text = `two measurements of ${baseline} differ by ${formatChange(twin.ratio, twin.interval)}: something other than the size keeps changing; measure on a quieter machine, or for longer`;
    return warning('tune.noisy', text, { ratio: twin.ratio, interval: twin.interval ?? [] });
  }
  const best = leaningTo(measured);
  if (best === undefined || best.size === baseline) return null;
  const text = `the estimates lean towards ${best.size}: ${gainText(measured, best)}`;
  return note('tune.unclear', text, { size: best.size, blocks: method.blocks });
};

function leaningTo({ sizes, objective }: MeasuredTune): TunedSize | undefined {
  const rating = ({ ratio }: TunedSize): number =>
    objective === 'throughput' ? (ratio.throughput ?? 0) : -(ratio[objective] ?? Number.POSITIVE_INFINITY);
  return sizes.toSorted((a, b) => rating(b) - rating(a))[0];
}

const routesSlower =
  (slower: 'yes' | 'maybe', id: string): Rule =>
  (measured) => {
    const chosen = sizeIn(measured, measured.recommended);
    const routes = chosen === undefined ? [] : slowerRoutes(chosen, slower);
    if (routes.length === 0 || chosen?.size === measured.baseline) return null;
    const are = slower === 'maybe' ? 'may be' : verb(routes, 'is', 'are');
    const names = routes.map(({ route, ratio }) => `${route} (${change(ratio ?? 1)})`);
    const text = `at ${chosen?.size}, ${list(names)} ${are} slower than at ${measured.baseline}`;
    const ratios = routes.map(({ ratio }) => ratio ?? 1);
    return warning(id, text, { routes: routes.map(({ route }) => route), ratios });
  };

const chance: Rule = (measured) => {
  const { size, chanceSlower = null } = sizeIn(measured, measured.recommended) ?? {};
  if (chanceSlower === null || chanceSlower < LEAST_CHANCE || measured.answer === 'no pool use') return null;
  const text = `there is a ${percent(chanceSlower)} % chance that ${size} is more than 5 % worse than the best size`;
  return note('tune.chance', text, { chance: chanceSlower });
};

const overloaded: Rule = ({ sizes }) => {
  const hit = numbers(sizes.filter((size) => size.overloaded));
  const text = `${list(hit)} cannot keep up with the incoming requests, which pile up`;
  return hit.length > 0 && warning('tune.overloaded', text, { sizes: hit });
};

const failing: Rule = ({ sizes, baseline }) => {
  const hit = sizes.filter((size) => size.failing);
  if (hit.length > 0) {
    const text = `clearly more requests fail at ${list(numbers(hit))} than at ${baseline}, so ${verb(hit, 'this size was', 'these sizes were')} dropped`;
    const evidence = { sizes: numbers(hit), failed: hit.map(({ failed }) => failed) };
    return warning('tune.failing-sizes', text, evidence);
  }
  const failed = sizes.reduce((sum, size) => sum + size.failed, 0);
  const requests = failed + sizes.reduce((sum, size) => sum + size.requests, 0);
  if (failed === 0 || failed / requests < MANY_FAILURES) return null;
  const text = `${percent(failed / requests)} % of the requests failed, regardless of the size; only successful requests are compared`;
  return warning('tune.failures', text, { failed, requests });
};

const queueWait: Rule = (measured) => {
  const { baseline, recommended } = measured;
  const baselineMs = sizeIn(measured, baseline)?.queueWaitMs.fast ?? null;
  const chosenMs = sizeIn(measured, recommended)?.queueWaitMs.fast ?? null;
  if (baselineMs === null || Math.max(baselineMs, chosenMs ?? 0) < NOTABLE_WAIT_MS) return null;
  const isSame = chosenMs === null || recommended === baseline;
  const then = isSame ? '' : `, and ${formatMs(chosenMs)} at ${recommended}`;
  const text = `a job waits ${formatMs(baselineMs)} for a pool thread at ${baseline}${then}`;
  return note('tune.queue-wait', text, { baselineMs, chosenMs });
};

/** libuv lets lookups have half of the threads at a time. */
const lookupWait: Rule = (measured) => {
  const { baseline } = measured;
  const { fast = null, slow = null } = sizeIn(measured, baseline)?.queueWaitMs ?? {};
  if (fast === null || slow === null || slow < NOTABLE_LOOKUP_MS || slow < LOOKUPS_QUEUE * fast) return null;
  const text = `lookups wait ${formatMs(slow)} at ${baseline}, and other jobs ${formatMs(fast)}: at most ${slowJobLimit(baseline)} of ${baseline} threads look up names at a time`;
  return note('tune.lookup-wait', text, { slowMs: slow, fastMs: fast });
};

const coresBusy: Rule = (measured) => {
  const { recommended, environment, baseline } = measured;
  const cores = environment.cpu.effectiveCpus;
  const at = sizeIn(measured, recommended ?? baseline);
  const busy = at?.cpu.machineCores ?? null;
  if (busy === null || busy < BUSY_SHARE * cores) return null;
  const text = `${formatDecimal(busy)} of ${formatCount(cores, 'core')} are busy at ${at?.size}: more threads would share these cores, not add to them`;
  return note('tune.cores-busy', text, { busy, cores });
};

/** Sizes that are no faster than the chosen one, and worse by another figure. */
const noFasterAnd =
  (
    id: string,
    flag: 'higherLoopDelay' | 'higherP99',
    what: string,
    figure: (size: TunedSize) => number | null,
  ): Rule =>
  (measured) => {
    const hit = measured.sizes.filter((size) => size[flag]);
    const chosen = sizeIn(measured, measured.recommended);
    const insteadOfMs = chosen === undefined ? null : figure(chosen);
    if (hit.length === 0 || insteadOfMs === null) return null;
    const ms = hit.map((size) => figure(size) ?? 0);
    const text = `${list(numbers(hit))} ${verb(hit, 'is', 'are')} no faster than ${chosen?.size}, and ${verb(hit, 'raises', 'raise')} ${what} from ${formatMs(insteadOfMs)} to ${list(ms.map(formatMs))}`;
    return advice(id, text, { sizes: numbers(hit), ms, insteadOfMs });
  };

const tryLarger: Rule = ({ answer, recommended: size, sizes }) => {
  if (answer !== 'change' || size === null || size !== sizes.at(-1)?.size) return null;
  const text = `${size} is the largest size measured: measure larger sizes with --sizes ${size},${2 * size},${4 * size}`;
  return advice('tune.try-larger', text, { size });
};

const OPEN_STREAM =
  'the request rate is the same at every size, so requests per second cannot tell sizes apart: use --objective mean';

const openStream: Rule = ({ objective, method }) =>
  method.openStream && objective === 'throughput' && warning('tune.open-stream', OPEN_STREAM);

const leftEarly: Rule = ({ sizes }) => {
  const left = numbers(sizes.filter((size) => size.leftEarly));
  const text = `${list(left)} ${verb(left, 'was', 'were')} dropped early, because more than 10 % worse than the best; the remaining sizes got the time`;
  return left.length > 0 && note('tune.left-early', text, { sizes: left });
};

const disturbed: Rule = ({ sizes, method: { windows } }) => {
  const hit = sizes.flatMap(({ rounds }) => rounds).filter((round) => round.disturbed).length;
  const text = `${hit} of ${formatCount(windows, 'window')} were disturbed (a process started or ended, or the traffic paused) and are excluded`;
  return hit > 0 && note('tune.disturbed', text, { disturbed: hit, windows });
};

const ROOM = {
  pids: 'the pids limit leaves room for',
  limit: 'the pool can be resized to at most',
} as const;

/** Incidents during the measurement. */
const NOTES: Texts<TuneNote> = {
  'tune.app-sets-size': ({ limit, wanted }) =>
    `the app sets UV_THREADPOOL_SIZE itself and has ${formatCount(limit, 'thread')}, so larger sizes (up to ${wanted}) could not be measured`,
  'tune.sizes-left-out': ({ sizes, because, limit }) =>
    `${list(sizes)} ${verb(sizes, 'was', 'were')} left out: ${ROOM[because]} ${formatCount(limit, 'thread')}`,
  'tune.traffic-restarted': ({ times }) =>
    `the load generator ended before the answer was known, and was restarted ${formatCount(times, 'time')}`,
  'tune.traffic-limited': ({ detail }) => detail,
  'tune.needs-minutes': ({ minutes }) =>
    `one run takes so long that an answer needs about ${formatCount(minutes, 'minute')}`,
};

const whatHappened: Rule = ({ notes }) =>
  notes.map((one) => {
    const { id, text, evidence } = factual(one, NOTES);
    return (id === 'tune.traffic-restarted' ? note : warning)(id, text, evidence);
  });

const RULES: readonly Rule[] = [
  cannotTell,
  routesSlower('yes', 'tune.route-slower'),
  routesSlower('maybe', 'tune.route-unclear'),
  ...[overloaded, failing, whatHappened, openStream, queueWait, lookupWait, coresBusy],
  noFasterAnd(
    'tune.event-loop-delay',
    'higherLoopDelay',
    'the event-loop delay (p99)',
    ({ loopDelayMs }) => loopDelayMs?.p99 ?? null,
  ),
  noFasterAnd('tune.p99', 'higherP99', 'the 99th percentile', ({ p99Ms }) => p99Ms),
  ...[chance, tryLarger, leftEarly, disturbed],
];
