// From the result of the study to its page.
const median = (values) => {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  return sorted.length === 0 ? Number.NaN : (sorted[Math.ceil(half) - 1] + sorted[Math.floor(half)]) / 2;
};
const sum = (values) => values.reduce((total, value) => total + value, 0);
const percent = (value) => `${(100 * value).toFixed(1)} %`;
const signed = (value) => `${value < 0 ? '−' : '+'}${Math.abs(100 * value).toFixed(0)} %`;
const ms = (value) => (value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2));

/** What all predictions of sizes that were not recorded come to. */
export function summaryOf(results) {
  const predictions = results.flatMap((result) => result.predictions);
  const compared = predictions.flatMap((one) => one.compared);
  const absolute = (pick) => median(compared.map((one) => Math.abs(pick(one.error))));
  const inBand = compared.flatMap((one) => Object.values(one.inBand));
  return {
    mean: absolute(({ latencyMs }) => latencyMs.mean),
    p99: absolute(({ latencyMs }) => latencyMs.p99),
    makespan: absolute(({ makespanMs }) => makespanMs),
    covered: inBand.filter(Boolean).length / inBand.length,
    worstRegret: Math.max(...predictions.map(({ regret }) => regret)),
    share: Math.max(...results.map(({ predictions: [first], sweepMs }) => first.adviceMs / sweepMs)),
    compared: compared.length,
  };
}

/** The page. */
export function predictionPage({ startedAt, environment, runs, scale, objective, results }) {
  const { node, cpu } = environment;
  const summary = summaryOf(results);
  const verdict = (reached, isMet) => `${reached} ${isMet ? 'reached' : '**missed**'}`;
  return `${[
    '# How wrong predictions are',
    '',
    'Written by `npm run study:predict`. Each workload runs once with 4 threads and once with 16 under the recorder; from each',
    'of these two runs other sizes are predicted, and then measured: fresh processes, every size once in each of',
    `${runs} ${runs === 1 ? 'block' : 'blocks'} in random order, medians. No figure of [the model](../internals/model.md) is fitted to these workloads; the thresholds by which chains are told from chance (\`src/trace/parents.ts\`) were set with earlier recordings of them in view.`,
    '',
    `Node ${node.version}, libuv ${node.libuv}, ${cpu.effectiveCpus} CPUs (${cpu.model ?? 'unknown'}), ${startedAt.slice(0, 10)}${scale === 1 ? '' : `, scale ${scale}`}. Objective: ${objective}.`,
    '',
    '| what | target | reached |',
    '| --- | --- | --- |',
    `| median error of the mean latency | 8 % | ${verdict(percent(summary.mean), summary.mean <= 0.08)} |`,
    `| median error of the makespan | 8 % | ${verdict(percent(summary.makespan), summary.makespan <= 0.08)} |`,
    `| median error of the p99 | 20 % | ${verdict(percent(summary.p99), summary.p99 <= 0.2)} |`,
    `| measured values inside the band | 80 % | ${verdict(percent(summary.covered), summary.covered >= 0.8)} |`,
    `| worst regret: mean latency at the recommended size against the best | 5 % | ${verdict(percent(summary.worstRegret), summary.worstRegret <= 0.05)} |`,
    `| time of advice against that of the sweep, worst | 10 % | ${verdict(percent(summary.share), summary.share <= 0.1)} |`,
    '',
    `${summary.compared} predictions of sizes that were not recorded. *Spread* is how far the runs of one size were apart (highest`,
    'less lowest mean, by the median): what no prediction can do better than. A star marks a measured value outside of its band.',
    `A run in which the same jobs took over 10 % more or less CPU than is usual for them met another machine; it was repeated, five times at most: ${sum(results.map(({ repeated }) => repeated))} were.`,
    '',
    ...byWorkload(results, runs),
    ...results.flatMap(section),
  ].join('\n')}`;
}

/** Runs of one size that were no further apart met the same machine. */
const STEADY = 0.1;
/** A workload whose figures are further off, by the median, is explained. */
const MUCH = 0.2;
const LITTLE_COVERED = 0.6;
const LITTLE_REGRET = 0.05;

/** Besides what the recorded run met, which all predictions from it carry. */
const WHY = {
  'cpu-steady-40': 'Queues at two cores answer to the share that others take of them.',
  'cpu-steady-70': 'Queues at two cores grow steeply with the share that others take of them.',
  'cpu-steady-90':
    'Close to saturation a queue is as long as the last hundredths of the cores that others took; those of the recorded run are not those of the measured ones.',
  'tiny-fs':
    'A run lasts 0.1 s, and its p99 is how long the event loop stood still. A part of that is the recorder, which fetches events on the thread of the app; but without it such a program has a p99 of several milliseconds too. What else holds the loop was not found out.',
  convoy: 'Close to saturation the estimate of how long a job is blocked decides.',
  'busy-loop':
    'Pool threads and the loop share the cores in slices of milliseconds, as long as the jobs themselves; which of them waits may be chance; that was not shown.',
};

/** Where the errors are, and how far the machine explains them. */
function byWorkload(results, runs) {
  const rows = results.map((result) => ({ result, ...summaryOf([result]), spread: usualSpread(result) }));
  const off = rows.filter(
    (row) =>
      Math.max(row.mean, row.p99, row.makespan) > MUCH ||
      row.covered < LITTLE_COVERED ||
      row.worstRegret > LITTLE_REGRET,
  );
  return [
    '## Where, and why',
    '',
    '| workload | mean | p99 | makespan | in band | worst regret | usual spread |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...rows.map(
      ({ result, mean, p99, makespan, covered, worstRegret, spread }) =>
        `| ${[result.name, ...[mean, p99, makespan, covered, worstRegret, spread].map(percent)].join(' | ')} |`,
    ),
    '',
    ...(runs === 1 ? [] : [steadyLine(results), '']),
    worstLine(rows, runs),
    '',
    'The usual error of the mean, by the run that it is predicted from: what that run met, all predictions from it carry.',
    '',
    ...off.map(
      ({ result }) =>
        `- \`${result.name}\`: ${[...result.predictions.map(usualError), WHY[result.name]].filter(Boolean).join(' ')}`,
    ),
    '',
  ];
}

function worstLine(rows, runs) {
  const most = (pick) => rows.reduce((worst, row) => (pick(row) > pick(worst) ? row : worst));
  const regretted = most(({ worstRegret }) => worstRegret);
  const slow = most(({ share }) => share);
  return (
    `The worst regret is that of \`${regretted.result.name}\`, where runs of one size are ${percent(regretted.spread)} apart; ` +
    `the longest advice that of \`${slow.result.name}\`, ${percent(slow.share)} of its sweep, of which the recorded run is ` +
    `about ${percent(1 / (slow.result.spread.length * runs))}.`
  );
}

/** Which way the predictions from a run are off. */
const usualError = ({ from, compared }) =>
  `${signed(median(compared.map(({ error }) => error.latencyMs.mean)))} from the run with ${from} threads.`;

const usualSpread = ({ spread }) => median(spread.map(({ share }) => share));

/** The errors again, of the sizes whose runs agreed. */
function steadyLine(results) {
  const steady = results.flatMap(({ predictions, spread }) => {
    const isSteady = ({ size }) => spread.find((one) => one.size === size).share <= STEADY;
    return predictions.flatMap(({ compared }) => compared.filter(isSteady));
  });
  const off = (pick) => percent(median(steady.map(({ error }) => Math.abs(pick(error)))));
  return steady.length === 0
    ? 'The runs of no size agreed within 10 %: the machine was not the same from one to the next.'
    : `Where the runs of the measured size agreed within 10 % (${steady.length} predictions), the median errors are ` +
        `${off(({ latencyMs }) => latencyMs.mean)} of the mean, ${off(({ latencyMs }) => latencyMs.p99)} of the p99 and ` +
        `${off(({ makespanMs }) => makespanMs)} of the makespan.`;
}

function section({ name, what, jobs, spread, predictions, sweepMs }) {
  const rows = predictions.flatMap(({ from, compared }) =>
    compared.map(({ size, predicted, measured, error, inBand }) =>
      [
        `${from} → ${size}`,
        ms(predicted.latencyMs.mean),
        ms(measured.latencyMs.mean),
        signed(error.latencyMs.mean) + star(inBand.mean),
        signed(error.latencyMs.p99) + star(inBand.p99),
        signed(error.makespanMs) + star(inBand.makespan),
        percent(spread.find((one) => one.size === size).share),
      ].join(' | '),
    ),
  );
  const recommendations = predictions.map(
    ({ from, recommended, regret, adviceMs }) =>
      `- from ${from}: **${recommended.size}** (${recommended.confidence}), regret ${percent(regret)}, in ${(adviceMs / 1000).toFixed(1)} s of the sweep’s ${(sweepMs / 1000).toFixed(0)} s`,
  );
  return [
    `## ${name}`,
    '',
    `${what[0].toUpperCase()}${what.slice(1)}; ${jobs} jobs.`,
    '',
    '| from → to | predicted ms | measured ms | mean | p99 | makespan | spread |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...rows.map((row) => `| ${row} |`),
    '',
    ...recommendations,
    '',
  ];
}

const star = (isIn) => (isIn ? '' : ' *');
