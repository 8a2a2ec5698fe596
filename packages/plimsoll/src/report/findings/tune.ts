import { sum } from '../../collections/sum.js';
import { slowJobLimit } from '../../libuv/pool-size.js';
import type { TunedRoute, TunedSize, TuneResult } from '../../results/tune.js';
import { EQUAL_WITHIN } from '../../stats/intervals.js';
import { FIRST_LOOK } from '../../stats/looks.js';
import type { MeasuredTune, TuneNote } from '../../tune/answer.js';
import * as format from '../format.js';
import { advice, factual, findAll, note, type RuleOver, type Texts, warning } from './finding.js';

const factsOf = (measured: MeasuredTune) => ({
  ...measured,
  chosen: sizeIn(measured, measured.recommended),
  base: sizeIn(measured, measured.baseline),
});
type Facts = ReturnType<typeof factsOf>;

export function tuneResultOf(measured: MeasuredTune): TuneResult {
  const { notes, ...result } = measured;
  const facts = factsOf(measured);
  return { ...result, headline: headlineOf(facts), findings: findAll(RULES, facts) };
}

const { change, formatChange, formatCount, formatMs, list, percent, verb } = format;

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
/** Latencies differ by more than this where requests per second do not: then their rate is not the size's doing. */
const LATENCY_DIFFERS = 0.1;
const isNear = (ratio: number | null, share: number): boolean =>
  ratio === null || Math.abs(Math.log(ratio)) <= Math.log1p(share);
const OPEN_STREAM =
  'the request rate is the same at every size, so requests per second cannot tell sizes apart: use --objective mean';

type Rule = RuleOver<[facts: Facts]>;

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

function headlineOf(facts: Facts): string {
  const { answer, baseline, recommended, confidence, chosen, sizes } = facts;
  const isSure = confidence === 'sure';
  switch (answer) {
    case 'no pool use': {
      const isUsed = sizes.some(({ busyThreads }) => (busyThreads ?? 0) >= 0.01);
      return `${isUsed ? 'Hardly anything here' : 'Nothing here'} uses the pool: keep ${baseline}`;
    }
    case 'no difference':
      return `The size does not matter: ${sizes[0]?.size} to ${sizes.at(-1)?.size} are as good as ${baseline} (estimates within 3 %); keep ${baseline}`;
    case 'keep':
      return `Keep ${baseline}: no other size ${isSure ? 'is' : 'was shown to be'} better`;
    case 'change':
      return `${isSure ? '' : 'Likely '}${recommended}: ${chosen === undefined ? '' : whatChanges(facts, chosen)}`;
    default:
      return `Cannot tell: keep ${baseline}; ${whyNot(facts)}`;
  }
}

function whatChanges(facts: Facts, chosen: TunedSize): string {
  const { baseline, objective } = facts;
  const slower = slowerRoutes(chosen, 'yes').map(
    ({ route, ratio }) => `${route} takes ${percent((ratio ?? 1) - 1)} % longer`,
  );
  const but = slower.length === 0 ? '' : `, but ${list(slower)}`;
  if (chosen.ratio[objective] === null) return `${baseline} cannot keep up with the requests${but}`;
  return `${chosen.verdict === 'same' ? `as good as ${baseline}` : gainText(facts, chosen)}${but}`;
}

const slowerRoutes = ({ routes }: TunedSize, slower: TunedRoute['slower']): TunedRoute[] =>
  routes.filter((route) => route.slower === slower);

function whyNot({ twin, sizes, method, baseline, objective, notes }: Facts): string {
  const long = notes.find((one) => one.id === 'tune.needs-minutes');
  if (long !== undefined) return `${NOTES[long.id](long)}: set --time ${long.minutes * 60}`;
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

function leaningTo({ sizes, objective }: MeasuredTune): TunedSize | undefined {
  const rating = ({ ratio }: TunedSize): number =>
    objective === 'throughput' ? (ratio.throughput ?? 0) : -(ratio[objective] ?? Number.POSITIVE_INFINITY);
  return sizes.toSorted((a, b) => rating(b) - rating(a))[0];
}

const routesSlower =
  (slower: 'yes' | 'maybe', id: string): Rule =>
  ({ chosen, baseline }) => {
    const routes = chosen === undefined ? [] : slowerRoutes(chosen, slower);
    if (routes.length === 0 || chosen?.size === baseline) return null;
    const are = slower === 'maybe' ? 'may be' : verb(routes, 'is', 'are');
    const names = routes.map(({ route, ratio }) => `${route} (${change(ratio ?? 1)})`);
    const text = `at ${chosen?.size}, ${list(names)} ${are} slower than at ${baseline}`;
    const ratios = routes.map(({ ratio }) => ratio ?? 1);
    return warning(id, text, { routes: routes.map(({ route }) => route), ratios });
  };

/** Incidents during the measurement. */
const NOTES: Texts<TuneNote> = {
  'tune.app-sets-size': ({ limit, wanted }) =>
    `the app started its pool with ${formatCount(limit, 'thread')}, so larger sizes (up to ${wanted}) could not be measured`,
  'tune.sizes-left-out': ({ sizes, limit }) =>
    `${list(sizes)} ${verb(sizes, 'was', 'were')} left out: the pids limit leaves room for ${formatCount(limit, 'thread')}`,
  'tune.traffic-restarted': ({ times }) =>
    `the load generator ended before the answer was known, and was restarted ${formatCount(times, 'time')}`,
  'tune.traffic-limited': ({ detail }) => detail,
  'tune.needs-minutes': ({ minutes }) =>
    `one run takes so long that an answer needs about ${formatCount(minutes, 'minute')}`,
};

const RULES: readonly Rule[] = [
  (facts) => {
    const { twin, baseline, answer, method } = facts;
    if (answer !== 'cannot tell') return null;
    if (twin?.noisy) {
      const text = `two measurements of ${baseline} differ by ${formatChange(twin.ratio, twin.interval)}: something other than the size keeps changing; measure on a quieter machine, or for longer`;
      return warning('tune.noisy', text, { ratio: twin.ratio, interval: twin.interval ?? [] });
    }
    const best = leaningTo(facts);
    if (best === undefined || best.size === baseline) return null;
    const text = `the estimates lean towards ${best.size}: ${gainText(facts, best)}`;
    return note('tune.unclear', text, { size: best.size, blocks: method.blocks });
  },
  routesSlower('yes', 'tune.route-slower'),
  routesSlower('maybe', 'tune.route-unclear'),
  ({ sizes }) => {
    const hit = numbers(sizes.filter((size) => size.overloaded));
    const text = `${list(hit)} cannot keep up with the incoming requests, which pile up`;
    return hit.length > 0 && warning('tune.overloaded', text, { sizes: hit });
  },
  ({ sizes, baseline }) => {
    const hit = sizes.filter((size) => size.failing);
    const text = `clearly more requests fail at ${list(numbers(hit))} than at ${baseline}, so ${verb(hit, 'this size was', 'these sizes were')} dropped`;
    const evidence = { sizes: numbers(hit), failed: hit.map(({ failed }) => failed) };
    return hit.length > 0 && warning('tune.failing-sizes', text, evidence);
  },
  ({ sizes }) => {
    const failed = sum(sizes.map((size) => size.failed));
    const requests = failed + sum(sizes.map((size) => size.requests));
    const isMany = failed > 0 && failed >= MANY_FAILURES * requests;
    if (!isMany || sizes.some((size) => size.failing)) return null;
    const text = `${percent(failed / requests)} % of the requests failed, regardless of the size; only successful requests are compared`;
    return warning('tune.failures', text, { failed, requests });
  },
  ({ notes }) =>
    notes.map((one) => {
      const { id, text, evidence } = factual(one, NOTES);
      return (id === 'tune.traffic-restarted' ? note : warning)(id, text, evidence);
    }),
  ({ objective, sizes }) =>
    objective === 'throughput' &&
    sizes.every(({ ratio }) => isNear(ratio.throughput, EQUAL_WITHIN)) &&
    !sizes.every(({ ratio }) => isNear(ratio.mean, LATENCY_DIFFERS)) &&
    warning('tune.open-stream', OPEN_STREAM),
  ({ base, chosen }) => {
    const [baselineMs, chosenMs] = [base?.queueWaitMs.fast ?? null, chosen?.queueWaitMs.fast ?? null];
    if (baselineMs === null || Math.max(baselineMs, chosenMs ?? 0) < NOTABLE_WAIT_MS) return null;
    const then = chosenMs === null || chosen === base ? '' : `, and ${formatMs(chosenMs)} at ${chosen?.size}`;
    const text = `a job waits ${formatMs(baselineMs)} for a pool thread at ${base?.size}${then}`;
    return note('tune.queue-wait', text, { baselineMs, chosenMs });
  },
  // libuv lets lookups have half of the threads at a time.
  ({ base, baseline }) => {
    const { fast = null, slow = null } = base?.queueWaitMs ?? {};
    if (fast === null || slow === null || slow < Math.max(NOTABLE_LOOKUP_MS, LOOKUPS_QUEUE * fast))
      return null;
    const text = `lookups wait ${formatMs(slow)} at ${baseline}, and other jobs ${formatMs(fast)}: at most ${slowJobLimit(baseline)} of ${baseline} threads look up names at a time`;
    return note('tune.lookup-wait', text, { slowMs: slow, fastMs: fast });
  },
  ({ environment, base, chosen = base }) => {
    const cores = environment.cpu.effectiveCpus;
    const busy = chosen?.cpu.machineCores ?? null;
    if (busy === null || busy < BUSY_SHARE * cores) return null;
    const text = `${format.formatDecimal(busy)} of ${formatCount(cores, 'core')} are busy at ${chosen?.size}: more threads would share these cores, not add to them`;
    return note('tune.cores-busy', text, { busy, cores });
  },
  ({ chosen, answer }) => {
    const { size, chanceSlower: chance = null } = chosen ?? {};
    if (chance === null || chance < LEAST_CHANCE || answer === 'no pool use') return null;
    const text = `there is a ${percent(chance)} % chance that ${size} is more than 5 % worse than the best size`;
    return note('tune.chance', text, { chance });
  },
  ({ answer, recommended: size, sizes }) => {
    if (answer !== 'change' || size === null || size !== sizes.at(-1)?.size) return null;
    const text = `${size} is the largest size measured: measure larger sizes with --sizes ${size},${2 * size},${4 * size}`;
    return advice('tune.try-larger', text, { size });
  },
  ({ sizes }) => {
    const left = numbers(sizes.filter((size) => size.leftEarly));
    const text = `${list(left)} ${verb(left, 'was', 'were')} dropped early, because more than 10 % worse than the best; the remaining sizes got the time`;
    return left.length > 0 && note('tune.left-early', text, { sizes: left });
  },
  ({ method: { windows, disturbed } }) => {
    const text = `${disturbed} of ${formatCount(windows, 'window')} were disturbed (a process started or ended, or the traffic paused) and are excluded`;
    return disturbed > 0 && note('tune.disturbed', text, { disturbed, windows });
  },
];
