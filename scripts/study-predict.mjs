// `npm run study:predict`: predicts workloads with a known answer from one recorded run each, measures what was predicted, and
// writes how wrong it was: docs/results/prediction.json and .md. `-- --quick` does a small part into .cache/study-predict;
// `-- CASE …` only these workloads; `-- --runs N` other than three runs of each size.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root, setup } from './setup.mjs';
import { predictionPage, summaryOf } from './study-predict/page.mjs';

const CASES = {
  'cpu-burst': 'a burst of pbkdf2 of five sizes: pure CPU, so no more threads than cores',
  'cpu-steady-40': 'pbkdf2 at random moments, cores 40 % busy',
  'cpu-steady-70': 'pbkdf2 at random moments, cores 70 % busy',
  'cpu-steady-90': 'pbkdf2 at random moments, cores 90 % busy',
  'blocked-burst': 'a burst of jobs that block a thread for 20 ms without CPU: the more threads the better',
  'blocked-steady': 'such jobs every 6 ms at random: 3.5 under way on average',
  mix: 'blocked jobs and pbkdf2 in turn, at random moments',
  chains: 'chains of readFile and pbkdf2, each step submitted by the one before',
  'tiny-fs': '16 chains of fs.stat: jobs of a few microseconds',
  convoy: 'eight slow lookups behind a stream of blocked jobs',
  'busy-loop': 'pbkdf2 beside an event loop that computes 6 ms of every 14',
};
const QUICK = ['cpu-burst', 'blocked-burst'];
const SIZES = [1, 2, 4, 8, 16, 64];
/** What is predicted from a run at which size. */
const HOLD_OUTS = [
  [4, [1, 2, 8, 16, 64]],
  [16, [2, 4]],
];
const DNS_DELAY_MS = 40;
/** Nothing is submitted for so long between loading a workload and its work. */
const SILENCE_MS = 150;
/** The work of a workload is the same in every run; one in which it took so much more or less CPU met another machine. */
const MOST_DRIFT = 0.1;
const MOST_REPEATS = 5;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    runs: { type: 'string' },
    scale: { type: 'string' },
    objective: { type: 'string', default: 'mean' },
  },
});
const isQuick = values.quick;
const runs = Number(values.runs ?? (isQuick ? 1 : 3));
const scale = Number(values.scale ?? (isQuick ? 0.5 : 1));
const names = positionals.length > 0 ? positionals : isQuick ? QUICK : Object.keys(CASES);
const wrong = names.find((name) => !Object.hasOwn(CASES, name));
if (wrong !== undefined || !(runs >= 1) || !(scale > 0)) {
  console.error(
    wrong === undefined
      ? 'study:predict: --runs and --scale must be above 0'
      : `study:predict: there is no workload ${wrong}; there are ${Object.keys(CASES).join(', ')}`,
  );
  process.exit(2);
}

setup();
const { advise } = await import('../packages/plimsoll/dist/index.js');
const { captureEnvironment, createRandom, Guardian, interruptSignal, openResolver, record, verification } =
  await import('../packages/plimsoll/dist/lab.js');

const interrupt = interruptSignal();
const guardian = new Guardian();
const environment = captureEnvironment({ directory: root });
const startedAt = new Date().toISOString();
const results = [];
try {
  for (const name of names) results.push(await study(name));
} finally {
  await guardian.close();
  interrupt.dispose();
}
write();

/** Record, predict and measure one workload. */
async function study(name) {
  const resolver =
    name === 'convoy' ? await openResolver({ mode: 'local', delayMs: DNS_DELAY_MS }, guardian) : null;
  const command = [
    ...(resolver?.prefix ?? []),
    ...[process.execPath, join(root, 'scripts/study-predict/work.mjs'), name, String(scale)],
    ...(resolver?.names ?? []),
  ];
  const run = async (size) => {
    const begun = performance.now();
    const trace = await record(command, { size, stdout: 'nowhere' }, { guardian, signal: interrupt.signal });
    return { size, trace: withoutLoading(trace), ms: performance.now() - begun };
  };
  try {
    const recorded = [];
    for (const [size] of HOLD_OUTS) recorded.push(await run(size));
    const measured = await sweep(name, run);
    const repeated = await repeatDrifted(name, [recorded, measured], run);
    return { ...(await judge(name, new Map(recorded.map((one) => [one.size, one])), measured)), repeated };
  } finally {
    await resolver?.close();
  }
}

/** Every size once in each block, each block in an order of its own. */
async function sweep(name, run) {
  const random = createRandom(2026);
  const measured = [];
  for (let block = 1; block <= runs; block++)
    for (const size of random.shuffle(SIZES)) {
      process.stderr.write(`${name}: block ${block} of ${runs}, size ${size}\n`);
      measured.push(await run(size));
    }
  return measured;
}

/** Run again, in its place, what met a faster or slower machine than most runs did. @returns how many runs that were. */
async function repeatDrifted(name, lists, run) {
  const usual = median(lists.flat().map(cpuPerJob).filter(Number.isFinite));
  const drift = (one) => Math.abs(cpuPerJob(one) / usual - 1);
  let repeated = 0;
  for (const list of lists)
    for (const [place, { size }] of list.entries())
      for (let repeat = 1; repeat <= MOST_REPEATS && drift(list[place]) > MOST_DRIFT; repeat++) {
        process.stderr.write(`${name}: size ${size} again, the machine was not as fast as usual\n`);
        const again = await run(size);
        repeated++;
        if (drift(again) < drift(list[place])) list[place] = again;
      }
  return repeated;
}

/** Milliseconds, of the jobs whose CPU time is known; NaN without any. */
function cpuPerJob({ trace }) {
  const known = trace.processes.flatMap(({ jobs }) => jobs).filter(({ cpuMs }) => cpuMs !== null);
  return known.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / known.length;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

async function judge(name, recorded, measured) {
  const hidden = [];
  for (const [from, to] of HOLD_OUTS) {
    const { trace, ms } = recorded.get(from);
    const advice = await advise(trace, { sizes: SIZES, objective: values.objective });
    const all = verification(advice.predictions, measured);
    hidden.push({
      from,
      recommended: advice.recommended,
      outsideCores: advice.method.outsideCores,
      adviceMs: ms + 1000 * advice.method.seconds,
      compared: all.filter(({ size }) => to.includes(size)),
      own: all.find(({ size }) => size === from) ?? null,
      regret: regretOf(advice.recommended.size, all),
    });
  }
  return {
    name,
    what: CASES[name],
    jobs: recorded.get(4).trace.processes.reduce((sum, { jobs }) => sum + jobs.length, 0),
    spread: SIZES.map((size) => ({ size, share: spreadOf(measured.filter((one) => one.size === size)) })),
    sweepMs: measured.reduce((sum, { ms }) => sum + ms, 0),
    predictions: hidden,
  };
}

/** What the recommended size costs against the best measured one, by mean latency; between measured sizes the next smaller. */
function regretOf(size, all) {
  const own = all.findLast((one) => one.size <= size) ?? all[0];
  const best = Math.min(...all.map(({ measured }) => measured.latencyMs.mean));
  return own.measured.latencyMs.mean / best - 1;
}

/** (highest − lowest) ÷ median of the mean latency over the runs of a size: what no prediction can beat. */
function spreadOf(own) {
  const means = own
    .map(({ trace }) => {
      const jobs = trace.processes.flatMap((one) => one.jobs);
      return jobs.reduce((sum, { callbackMs, submitMs }) => sum + callbackMs - submitMs, 0) / jobs.length;
    })
    .sort((a, b) => a - b);
  return (means.at(-1) - means[0]) / means[Math.floor(means.length / 2)];
}

/** Jobs of loading the workload are none of its jobs: they come before a silence. */
function withoutLoading(trace) {
  const processes = trace.processes.map((one) => {
    let first = 0;
    let last = Number.NEGATIVE_INFINITY;
    for (const [index, { submitMs, callbackMs }] of one.jobs.entries()) {
      if (index > 0 && submitMs - last > SILENCE_MS && first === 0) first = index;
      last = Math.max(last, callbackMs);
    }
    const jobs = one.jobs.slice(first).map((job) => ({
      ...job,
      parent: job.parent === null || job.parent < first ? null : job.parent - first,
    }));
    return { ...one, jobs };
  });
  return { ...trace, processes };
}

function write() {
  const study = { startedAt, environment, runs, scale, objective: values.objective, results };
  const directory = join(root, isQuick || positionals.length > 0 ? '.cache/study-predict' : 'docs/results');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'prediction.json'), `${JSON.stringify(study, null, 1)}\n`);
  writeFileSync(join(directory, 'prediction.md'), predictionPage(study));
  const { mean, makespan, p99, covered, worstRegret, share } = summaryOf(results);
  const percent = (value) => `${(100 * value).toFixed(1)} %`;
  console.log(
    `median error: mean ${percent(mean)}, makespan ${percent(makespan)}, p99 ${percent(p99)}; in band ${percent(covered)}; ` +
      `worst regret ${percent(worstRegret)}; advice in ${percent(share)} of the sweep; ${join(directory, 'prediction.md')}`,
  );
}
