import { type Arm, createRandom, judge, type Random, type Window } from '@plimsoll/lab';
import type { LifeCycle } from '../common/command.js';
import { scratch } from '../common/paths.js';
import { ask } from './answer.js';
import type { ServerProgram } from './catalogue.js';
import { SOURCE } from './install.js';
import { openPlace } from './place.js';
import { BASELINE, SIZES } from './plan.js';
import type { ErrorRate, ErrorRates, TuneStudyResult } from './result.js';

const PLANS = {
  full: { simulated: 500, real: 8, realSeconds: 15 },
  quick: { simulated: 20, real: 1, realSeconds: 5 },
} as const;

/** Contests of one machine and one truth. */
interface Scenario {
  readonly what: string;
  /** Of a window: a standard deviation of the log of its mean that its requests do not explain. */
  readonly noise: number;
  /** True latency ÷ that of the baseline. */
  readonly truth: (size: number) => number;
  readonly planted: { readonly size: number; readonly verdict: 'better' | 'worse' } | null;
}

const nothing = (): number => 1;
const SCENARIOS: readonly Scenario[] = [
  { what: 'no difference, quiet', noise: 0.02, truth: nothing, planted: null },
  { what: 'no difference, disturbed', noise: 0.08, truth: nothing, planted: null },
  {
    what: 'size 8 is 5 % slower, quiet',
    noise: 0.02,
    truth: (size) => (size === 8 ? 1.05 : 1),
    planted: { size: 8, verdict: 'worse' },
  },
  {
    what: 'size 2 is 5 % faster, quiet',
    noise: 0.02,
    truth: (size) => (size === 2 ? 1 / 1.05 : 1),
    planted: { size: 2, verdict: 'better' },
  },
];

/** How often contests end with a verdict that is not true. */
export async function measureErrors(
  effort: TuneStudyResult['effort'],
  cycle: LifeCycle,
): Promise<ErrorRates> {
  const { simulated, real, realSeconds } = PLANS[effort];
  return {
    simulated: SCENARIOS.map((scenario) => simulatedRate(scenario, simulated)),
    real: await realRate(real, realSeconds, cycle),
  };
}

const MOST_BLOCKS = 12;
const REQUESTS = 120;
const USUAL_MS = 20;
/** A request of one kind takes e^±0.4 times as long as another. */
const SPREAD = 0.4;
/** The machine becomes slower or faster from window to window, as a random walk. */
const DRIFT = 0.01;
const TOLERATED = 0.05;

function simulatedRate(scenario: Scenario, contests: number): ErrorRate {
  process.stderr.write(`tune: simulated contests, ${scenario.what}\n`);
  let [falseVerdicts, wrongAnswers, detected] = [0, 0, 0];
  for (let seed = 1; seed <= contests; seed++) {
    const outcome = simulatedContest(scenario, createRandom(seed), seed);
    const verdicts = [...outcome.sizes].filter(([size]) => size !== BASELINE);
    if (verdicts.some(([size, { verdict }]) => isFalse(verdict, scenario.truth(size)))) falseVerdicts++;
    const { leading } = outcome;
    const best = Math.min(...SIZES.map(scenario.truth));
    if (leading !== null && scenario.truth(leading) / best > 1 + TOLERATED + 1e-9) wrongAnswers++;
    const { planted } = scenario;
    if (planted !== null && outcome.sizes.get(planted.size)?.verdict === planted.verdict) detected++;
  }
  const { what, planted } = scenario;
  return { what, contests, falseVerdicts, wrongAnswers, detected: planted === null ? null : detected };
}

/** "Same" is a promise of 3 %, so a difference of 5 % is no "same". */
function isFalse(verdict: string, truth: number): boolean {
  if (verdict === 'better') return truth >= 1;
  if (verdict === 'worse') return truth <= 1;
  return verdict === 'same' && Math.abs(Math.log(truth)) > Math.log(1.03);
}

function simulatedContest(scenario: Scenario, random: Random, seed: number): ReturnType<typeof judge> {
  const windows: Window[] = [];
  let living: readonly Arm[] = [...SIZES, 'twin'];
  let drift = 0;
  let left: number[] = [];
  for (let block = 0; ; block++) {
    for (const [order, arm] of random.shuffle([...living]).entries()) {
      drift += DRIFT * random.normal();
      windows.push(simulatedWindow({ block, order, arm }, Math.exp(drift), scenario, random));
    }
    const plan = {
      sizes: SIZES,
      baseline: BASELINE,
      objective: 'mean',
      mostBlocks: MOST_BLOCKS,
      seed,
      left,
    } as const;
    const judgement = judge(windows, plan);
    if (judgement.settled || block + 1 === MOST_BLOCKS) return judgement;
    living = living.filter((arm) => judgement.living.includes(arm));
    left = SIZES.filter((size) => !living.includes(size));
  }
}

function simulatedWindow(
  place: Pick<Window, 'block' | 'order' | 'arm'>,
  drift: number,
  { noise, truth }: Scenario,
  random: Random,
): Window {
  const size = place.arm === 'twin' ? BASELINE : place.arm;
  const centre = USUAL_MS * truth(size) * drift * Math.exp(noise * random.normal());
  const latencies = Array.from({ length: REQUESTS }, () => centre * Math.exp(SPREAD * random.normal()));
  return {
    ...place,
    size,
    seconds: 0.3,
    completed: REQUESTS,
    routes: new Map([['GET /', latencies]]),
    failed: 0,
    unfinished: 0,
    inFlightGrowth: 0,
    loopDelayMs: { mean: 0.1, p99: 1 },
    cpuCores: 1,
    machineBusyCores: 1.5,
    queueWaitMs: { fast: 1, slow: 1 },
    busyThreads: 1,
    disturbed: false,
  };
}

/** One client, and so one job at a time: no size can make a difference. */
const ONE_CLIENT: ServerProgram = {
  name: 'pbkdf2',
  kind: 'server',
  what: 'derives a key',
  packages: [],
  input: 'none',
  heldOut: false,
  requests: { paths: ['/'], connections: 1 },
};

async function realRate(contests: number, tuneSeconds: number, cycle: LifeCycle): Promise<ErrorRate> {
  let falseVerdicts = 0;
  const place = await openPlace(ONE_CLIENT, SOURCE, scratch('tune'), cycle);
  try {
    for (let contest = 1; contest <= contests; contest++) {
      process.stderr.write(`tune: real contest ${contest} of ${contests}\n`);
      const { sizes } = await ask(ONE_CLIENT, place.command, { tuneSeconds }, cycle);
      if (sizes.some(({ verdict }) => verdict === 'better' || verdict === 'worse')) falseVerdicts++;
    }
  } finally {
    await place.close();
  }
  return { what: 'real, one client', contests, falseVerdicts, wrongAnswers: null, detected: null };
}
