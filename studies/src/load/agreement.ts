// What of the original's figures is found again, table by table, worked out from the numbers of both.
import { EQUAL_WITHIN, median } from '@plimsoll/lab';
import type { Claim } from '../common/claims.js';
import type { FilledCell } from './filled-cell.js';
import { kendall } from './kendall.js';
import type { OriginalTable } from './original.js';

/** From this rank correlation on the figures follow the sizes. */
const TENDENCY = 0.5;
const NOT_MEASURED = 'not measured';
/** From this share on the CPUs count as busy. */
const BUSY = 0.9;

export const seconds = (value: number): string => (value >= 0.1 ? value.toFixed(2) : value.toPrecision(2));
export const percent = (share: number): string =>
  `${share < 0 ? '−' : '+'}${Math.abs(share * 100).toFixed(0)} %`;
const ms = (value: number): string => (value >= 10 ? value.toFixed(0) : value.toFixed(1));

/** Latencies of one size, in seconds. */
interface OriginalRow {
  readonly size: number;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
}

interface Row extends OriginalRow {
  /** Mean completion time from the first request on, in seconds. */
  readonly completion: number;
  /** CPUs that the server kept busy. */
  readonly busy: number;
  /** p99 of a trivial request beside the load, in milliseconds. */
  readonly bystander: number;
  /** p99 of the event-loop delay, in milliseconds. */
  readonly loopDelay: number;
  /** Seconds that the whole took. */
  readonly wall: number;
}

interface Context {
  readonly there: readonly OriginalRow[];
  readonly here: readonly Row[];
  readonly cpus: number;
  readonly originalCpus: number;
  /** How far the baseline and its twin differ: a smaller difference may be noise. */
  readonly twin: number;
}

/** What a table is held against. */
export interface Table {
  /** The original's, where it has this table. */
  readonly table: OriginalTable | undefined;
  readonly cells: readonly FilledCell[];
  readonly cpus: number;
  readonly originalCpus: number;
  /** The size that has two slices in every block. */
  readonly baseline: number | null;
}

const firstOf = <Item extends OriginalRow>(rows: readonly Item[]): Item => rows[0] as Item;
const lastOf = <Item extends OriginalRow>(rows: readonly Item[]): Item => rows.at(-1) as Item;
const least = <Item extends OriginalRow>(rows: readonly Item[], pick: (row: Item) => number): Item =>
  rows.reduce((a, b) => (pick(b) < pick(a) ? b : a));

const originalRows = (table: OriginalTable): OriginalRow[] =>
  Object.entries(table).map(([size, [min, max, mean]]) => ({ size: Number(size), min, max, mean }));

const hereRows = (cells: readonly FilledCell[]): Row[] =>
  cells.map(({ size, operationMs, completionMs, bystanderMs, eventLoopDelayMs, cpuSeconds, wallMs }) => ({
    size,
    min: operationMs.min / 1000,
    max: operationMs.max / 1000,
    mean: operationMs.mean / 1000,
    completion: completionMs.mean / 1000,
    busy: (cpuSeconds * 1000) / wallMs,
    bystander: bystanderMs.p99,
    loopDelay: eventLoopDelayMs.p99,
    wall: wallMs / 1000,
  }));

/** How far the baseline and its twin differ in the median of their slices' averages. */
export function twinDifference(cells: readonly FilledCell[], baseline: number | null): number {
  const rounds = cells.find(({ size }) => size === baseline)?.rounds ?? [];
  const means = [true, false].map((isTwin) =>
    rounds.filter(({ twin }) => twin === isTwin).flatMap(({ operationMs }) => operationMs?.mean ?? []),
  );
  if (means.some(({ length }) => length === 0)) return 0;
  const middles = means.map((values) => median(values));
  return Math.max(...middles) / Math.min(...middles) - 1;
}

/** The original's statements, held against one table of at least one cell. */
export function agreement({ table, cells, cpus, originalCpus, baseline }: Table): Claim[] {
  const context: Context = {
    there: table === undefined ? [] : originalRows(table),
    here: hereRows(cells),
    cpus,
    originalCpus,
    twin: twinDifference(cells, baseline),
  };
  return [bestAverage, minimumRises, maximumFalls, tooLargeIsHarmless].map((claim) => {
    const made = claim(context);
    return { ...made, why: `${made.why}.` };
  });
}

/** Whether a table of the original has enough figures to show a course. */
const hasCourse = (there: readonly OriginalRow[]): boolean => there.length >= 3;
/** The measured size that is nearest to the number of CPUs. */
const nearest = (rows: readonly Row[], cpus: number): Row =>
  least(rows, ({ size }) => Math.abs(Math.log(size / cpus)));
const used = ({ busy, size }: Row, cpus: number): string =>
  `at ${size} threads the server used ${busy.toFixed(1)} of ${cpus} CPUs`;

function bestAverage({ there, here, cpus, originalCpus, twin }: Context): Claim {
  const best = least(here, ({ mean }) => mean);
  const near = nearest(here, cpus);
  const excess = near.mean / best.mean - 1;
  return {
    claim: 'the best average is near the number of CPUs',
    theirs: hasCourse(there)
      ? `${least(there, ({ mean }) => mean).size} on ${originalCpus} CPUs`
      : NOT_MEASURED,
    here: `${best.size} on ${cpus} CPUs: ${seconds(best.mean)} s; at ${near.size}, the nearest to it, ${seconds(near.mean)} s`,
    verdict: excess <= EQUAL_WITHIN ? 'agrees' : excess <= twin ? 'unclear' : 'differs',
    why: excess <= EQUAL_WITHIN ? cpusAreTheLimit(near, cpus) : whyNotNear(near, best, cpus),
  };
}

const cpusAreTheLimit = (near: Row, cpus: number): string =>
  near.busy >= BUSY * cpus
    ? `${used(near, cpus)}, and more threads only take turns on them`
    : used(near, cpus);

function whyNotNear(near: Row, best: Row, cpus: number): string {
  const isLate =
    best.loopDelay > 2 * near.loopDelay && near.completion <= best.completion * (1 + EQUAL_WITHIN);
  if (!isLate) return used(near, cpus);
  return (
    `an operation's latency begins when its request is taken on, and with ${best.size} threads the event-loop delay is ${ms(best.loopDelay)} ms (p99; ` +
    `${ms(near.loopDelay)} at ${near.size}), so that requests are taken on late; counted from the first request on, the operations of ${near.size} threads ` +
    `are done no later: after ${seconds(near.completion)} s on average, of ${best.size} after ${seconds(best.completion)} s`
  );
}

function minimumRises({ there, here, cpus }: Context): Claim {
  const tau = correlation(here, 'min');
  const [first, last] = [firstOf(here), lastOf(here)];
  return {
    claim: 'larger sizes raise the minimum',
    theirs: hasCourse(there) ? tendency(there, 'min') : NOT_MEASURED,
    here: tendency(here, 'min'),
    verdict: tau >= TENDENCY ? 'agrees' : 'differs',
    why:
      tau >= TENDENCY
        ? `${cpus} CPUs shared by ${last.size} threads instead of ${first.size} bring no single operation to its end early`
        : 'the order of the sizes explains little of the order of the minima',
  };
}

function maximumFalls({ there, here, cpus, originalCpus }: Context): Claim {
  const agrees = correlation(here, 'max') <= -TENDENCY;
  const [first, last] = [firstOf(here), lastOf(here)];
  return {
    claim: 'larger sizes lower the maximum',
    theirs: hasCourse(there) ? tendency(there, 'max') : NOT_MEASURED,
    here: tendency(here, 'max'),
    verdict: agrees ? 'agrees' : 'differs',
    why: whyMaximum({ agrees, wasBusy: first.busy >= BUSY * cpus, first, last, cpus, originalCpus }),
  };
}

function whyMaximum({
  agrees,
  wasBusy,
  first,
  last,
  cpus,
  originalCpus,
}: {
  agrees: boolean;
  wasBusy: boolean;
  first: Row;
  last: Row;
  cpus: number;
  originalCpus: number;
}): string {
  const took = `the whole took ${seconds(first.wall)} s at ${first.size} and ${seconds(last.wall)} s at ${last.size}`;
  if (!wasBusy)
    return agrees
      ? `${used(first, cpus)}, and more threads put more of them to use; ${took}`
      : `${used(first, cpus)} and at ${last.size} ${last.busy.toFixed(1)}; ${took}`;
  const full = `already ${used(first, cpus)}, where the original's ${first.size} left ${originalCpus - first.size} of its ${originalCpus} idle, so no thread more could end the work sooner: ${took}`;
  return agrees && last.loopDelay > first.loopDelay
    ? `${full}; latencies are shorter only because requests are taken on later, after an event-loop delay of ${ms(last.loopDelay)} ms (p99) instead of ${ms(first.loopDelay)}`
    : full;
}

function tooLargeIsHarmless({ there, here, twin }: Context): Claim {
  const best = (rows: readonly OriginalRow[]): number => least(rows, ({ mean }) => mean).mean;
  const large = (rows: readonly OriginalRow[]): number => lastOf(rows).mean / best(rows) - 1;
  const small = (rows: readonly OriginalRow[]): number => firstOf(rows).mean / best(rows) - 1;
  const compare = (rows: readonly OriginalRow[]): string =>
    `above the best average: ${percent(large(rows))} at ${lastOf(rows).size}, ${percent(small(rows))} at ${firstOf(rows).size}`;
  const [first, last] = [firstOf(here), lastOf(here)];
  const difference = last.mean / first.mean - 1;
  const verdict = difference <= 0 ? 'agrees' : 'differs';
  return {
    claim: 'too large a size costs less than too small a one',
    theirs: hasCourse(there) ? compare(there) : NOT_MEASURED,
    here: compare(here),
    verdict: Math.abs(difference) <= Math.max(EQUAL_WITHIN, twin) ? 'unclear' : verdict,
    why: `the average is not all of it: a trivial request beside the load waits ${seconds(last.bystander / 1000)} s at ${last.size} and ${ms(first.bystander)} ms at ${first.size} (p99), and operations are done after ${seconds(last.completion)} and ${seconds(first.completion)} s on average`,
  };
}

type Bound = 'min' | 'max';

const correlation = (rows: readonly OriginalRow[], field: Bound): number =>
  kendall(rows.map((row) => [row.size, row[field]]));

function tendency(rows: readonly OriginalRow[], field: Bound): string {
  const [first, last] = [firstOf(rows), lastOf(rows)];
  const tau = correlation(rows, field).toFixed(2).replace('-', '−');
  return `${seconds(first[field])} s at ${first.size}, ${seconds(last[field])} s at ${last.size} (rank correlation ${tau})`;
}

/** A cluster beside one process with as many threads: how much longer the cluster takes, as a share. */
export interface Beside {
  /** Pool threads of each worker. */
  readonly size: number;
  readonly threads: number;
  readonly here: number;
  readonly original: number | null;
}

/** Two workers with n threads each, beside one with 2n: does the number of threads on the host explain the cluster? */
export function clusterAgainstFork({
  fork,
  cluster,
  instances,
  originalFork,
  originalCluster,
}: {
  readonly fork: readonly FilledCell[];
  readonly cluster: readonly FilledCell[];
  readonly instances: number;
  readonly originalFork: OriginalTable | undefined;
  readonly originalCluster: OriginalTable | undefined;
}): Beside[] {
  return cluster.flatMap((cell) => {
    const one = fork.find(({ size }) => size === instances * cell.size);
    if (one === undefined) return [];
    const before = originalCluster?.[cell.size]?.[2];
    const beforeOne = originalFork?.[one.size]?.[2];
    return [
      {
        size: cell.size,
        threads: one.size,
        here: cell.completionMs.mean / one.completionMs.mean - 1,
        original: before === undefined || beforeOne === undefined ? null : before / beforeOne - 1,
      },
    ];
  });
}
