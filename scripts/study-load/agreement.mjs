// What of the original's figures is found again, table by table, worked out from the numbers of both.

/** Kendall's rank correlation of some pairs: 1 when y rises with every x, −1 when it falls. */
export function kendall(pairs) {
  let concordant = 0;
  let compared = 0;
  for (const [index, [x, y]] of pairs.entries())
    for (const [otherX, otherY] of pairs.slice(index + 1)) {
      if (x === otherX) continue;
      compared++;
      concordant += Math.sign(otherX - x) * Math.sign(otherY - y);
    }
  return compared === 0 ? 0 : concordant / compared;
}

/** From here on a tendency is one. */
const TENDENCY = 0.5;
/** Averages that differ by less count as equal. */
const WITHIN = 0.03;

const seconds = (value) => (value >= 0.1 ? value.toFixed(2) : value.toPrecision(2));
const percent = (share) => `${share < 0 ? '−' : '+'}${Math.abs(share * 100).toFixed(0)} %`;
const ms = (value) => (value >= 10 ? value.toFixed(0) : value.toFixed(1));
const least = (rows, pick) => rows.reduce((a, b) => (pick(b) < pick(a) ? b : a));

/** The figures of a table as rows, in seconds. */
const originalRows = (table) =>
  Object.entries(table).map(([size, [min, max, mean]]) => ({ size: Number(size), min, max, mean }));
const hereRows = (cells) =>
  cells.map(({ size, operationMs, completionMs, bystanderMs, eventLoopDelayMs, cpuSeconds, wallMs }) => ({
    ...{ size, min: operationMs.min / 1000, max: operationMs.max / 1000, mean: operationMs.mean / 1000 },
    ...{ done: completionMs.mean / 1000, busy: (cpuSeconds * 1000) / wallMs, bystander: bystanderMs.p99 },
    ...{ loop: eventLoopDelayMs.p99, wall: wallMs / 1000 },
  }));

/** How far the two runs of the baseline differ in their average. */
export function twinDifference(cells, baseline) {
  const runs =
    cells.find(({ size }) => size === baseline)?.runs.filter(({ superseded }) => !superseded) ?? [];
  const means = runs.map(({ operationMs }) => operationMs.mean);
  return means.length < 2 ? 0 : Math.max(...means) / Math.min(...means) - 1;
}

/**
 * The original's statements, held against one table.
 *
 * @returns a list of { claim, original, here, verdict, why }; `original` is null where the original has no figures.
 */
export function agreement({ table, cells, cpus, originalCpus, baseline }) {
  const there = table === undefined ? [] : originalRows(table);
  const here = hereRows(cells);
  const context = { there, here, cpus, originalCpus, twin: twinDifference(cells, baseline) };
  return [bestAverage, minimumRises, maximumFalls, tooLargeIsHarmless].map((claim) => claim(context));
}

/** Whether a table of the original has enough figures to show a course. */
const hasCourse = (there) => there.length >= 3;
/** From this share on the CPUs count as busy. */
const BUSY = 0.9;
/** The measured size that is nearest to the number of CPUs. */
const nearest = (rows, cpus) => least(rows, ({ size }) => Math.abs(Math.log(size / cpus)));
const used = ({ busy, size }, cpus) =>
  `at ${size} threads the server used ${busy.toFixed(1)} of ${cpus} CPUs`;

function bestAverage({ there, here, cpus, originalCpus, twin }) {
  const best = least(here, ({ mean }) => mean);
  const near = nearest(here, cpus);
  const excess = near.mean / best.mean - 1;
  return {
    claim: 'the best average is near the number of CPUs',
    original: hasCourse(there) ? `${least(there, ({ mean }) => mean).size} on ${originalCpus} CPUs` : null,
    here: `${best.size} on ${cpus} CPUs: ${seconds(best.mean)} s; at ${near.size}, the nearest to it, ${seconds(near.mean)} s`,
    verdict: excess <= WITHIN ? 'agrees' : excess <= twin ? 'cannot be told' : 'differs',
    why: excess <= WITHIN ? cpusAreTheLimit(near, cpus) : whyNotNear(near, best, cpus),
  };
}

const cpusAreTheLimit = (near, cpus) =>
  near.busy >= BUSY * cpus
    ? `${used(near, cpus)}, and more threads only take turns on them`
    : used(near, cpus);

function whyNotNear(near, best, cpus) {
  const isLate = best.loop > 2 * near.loop && near.done <= best.done * (1 + WITHIN);
  if (!isLate) return used(near, cpus);
  return (
    `an operation's latency begins when its request is taken on, and with ${best.size} threads the event loop is ${ms(best.loop)} ms late (p99; ` +
    `${ms(near.loop)} at ${near.size}), so that requests are taken on late; counted from the first request on, the operations of ${near.size} threads ` +
    `are done no later: after ${seconds(near.done)} s on average, of ${best.size} after ${seconds(best.done)} s`
  );
}

function minimumRises({ there, here, cpus }) {
  const tau = correlation(here, 'min');
  const [first, last] = [here[0], here.at(-1)];
  return {
    claim: 'larger sizes raise the minimum',
    original: hasCourse(there) ? tendency(there, 'min') : null,
    here: tendency(here, 'min'),
    verdict: tau >= TENDENCY ? 'agrees' : 'differs',
    why:
      tau >= TENDENCY
        ? `${cpus} CPUs shared by ${last.size} threads instead of ${first.size} bring no single operation to its end early`
        : 'the order of the sizes explains little of the order of the minima',
  };
}

function maximumFalls({ there, here, cpus, originalCpus }) {
  const agrees = correlation(here, 'max') <= -TENDENCY;
  const [first, last] = [here[0], here.at(-1)];
  return {
    claim: 'larger sizes lower the maximum',
    original: hasCourse(there) ? tendency(there, 'max') : null,
    here: tendency(here, 'max'),
    verdict: agrees ? 'agrees' : 'differs',
    why: whyMaximum({ agrees, wasBusy: first.busy >= BUSY * cpus, first, last, cpus, originalCpus }),
  };
}

function whyMaximum({ agrees, wasBusy, first, last, cpus, originalCpus }) {
  const took = `the whole took ${seconds(first.wall)} s at ${first.size} and ${seconds(last.wall)} s at ${last.size}`;
  if (!wasBusy)
    return agrees
      ? `${used(first, cpus)}, and more threads put more of them to use; ${took}`
      : `${used(first, cpus)} and at ${last.size} ${last.busy.toFixed(1)}; ${took}`;
  const full = `already ${used(first, cpus)}, where the original's ${first.size} left ${originalCpus - first.size} of its ${originalCpus} idle, so no thread more could end the work sooner: ${took}`;
  return agrees && last.loop > first.loop
    ? `${full}; latencies are shorter only because requests are taken on later, by an event loop that is ${ms(last.loop)} ms late (p99) instead of ${ms(first.loop)}`
    : full;
}

function tooLargeIsHarmless({ there, here, twin }) {
  const best = (rows) => least(rows, ({ mean }) => mean).mean;
  const large = (rows) => rows.at(-1).mean / best(rows) - 1;
  const small = (rows) => rows[0].mean / best(rows) - 1;
  const compare = (rows) =>
    `above the best average: ${percent(large(rows))} at ${rows.at(-1).size}, ${percent(small(rows))} at ${rows[0].size}`;
  const [first, last] = [here[0], here.at(-1)];
  const difference = last.mean / first.mean - 1;
  const verdict = difference <= 0 ? 'agrees' : 'differs';
  return {
    claim: 'too large a size costs less than too small a one',
    original: hasCourse(there) ? compare(there) : null,
    here: compare(here),
    verdict: Math.abs(difference) <= Math.max(WITHIN, twin) ? 'cannot be told' : verdict,
    why: `the average is not all of it: a trivial request beside the load waits ${seconds(last.bystander / 1000)} s at ${last.size} and ${ms(first.bystander)} ms at ${first.size} (p99), and operations are done after ${seconds(last.done)} and ${seconds(first.done)} s on average`,
  };
}

const correlation = (rows, field) => kendall(rows.map((row) => [row.size, row[field]]));

function tendency(rows, field) {
  const [first, last] = [rows[0], rows.at(-1)];
  const tau = correlation(rows, field).toFixed(2).replace('-', '−');
  return `${seconds(first[field])} s at ${first.size}, ${seconds(last[field])} s at ${last.size} (rank correlation ${tau})`;
}

/** Two workers with n threads each, beside one with 2n: does the number of threads on the host explain the cluster? */
export function clusterAgainstFork({ fork, cluster, instances, originalFork, originalCluster }) {
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

export { percent, seconds };
