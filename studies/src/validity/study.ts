// How often `plimsoll bench` is wrong, how soon it is right, and what it gains over one process at a time; writes validity.json
// and validity.md. `--part simulated|real|widths`: only that part anew, the others as they were. `--quick`: a few suites of each
// kind, into .cache/study-validity.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { captureEnvironment, readOptions, usage } from '@plimsoll/lab';
import { type Command, type LifeCycle, withGuardian } from '../common/command.js';
import { RESULTS, scratch, writeOutput } from '../common/paths.js';
import { validityPage } from './page.js';
import { beside, modes, realSuite } from './real.js';
import type { ModePair, RealSuite, Simulated, ValidityResult } from './result.js';
import { simulate, WORLDS } from './simulated.js';

const SEED = 2026;
const PLANTED = [1.02, 1.05, 1.2];

const PLANS = {
  full: { simulated: 2000, planted: 300, real: 40, realPlanted: 5, suiteMs: 10_000, modeMs: 10_000 },
  quick: { simulated: 20, planted: 10, real: 1, realPlanted: 1, suiteMs: 2_000, modeMs: 2_000 },
} as const;
type Plan = (typeof PLANS)[keyof typeof PLANS];

/** Each can be measured by itself. */
const PARTS = {
  simulated: async (plan: Plan): Promise<Pick<ValidityResult, 'simulated'>> => ({
    simulated: simulatedPart(plan),
  }),
  real: async (plan: Plan, cycle: LifeCycle): Promise<Pick<ValidityResult, 'real'>> => ({
    real: await realPart(plan, cycle),
  }),
  widths: async (plan: Plan, cycle: LifeCycle): Promise<Pick<ValidityResult, 'modes'>> => ({
    modes: await widthsPart(plan, cycle),
  }),
};

export const validity: Command = {
  name: 'validity',
  run(args) {
    const { values } = readOptions(args, { quick: { type: 'boolean' }, part: { type: 'string' } });
    const { part, quick = false } = values;
    if (part !== undefined && !Object.hasOwn(PARTS, part))
      throw usage(`--part: one of ${Object.keys(PARTS).join(', ')}, not ${JSON.stringify(part)}`);
    return withGuardian(async (cycle) => {
      const out = quick ? scratch('validity') : RESULTS;
      const result = await measure(PLANS[quick ? 'quick' : 'full'], part, out, cycle);
      writeOutput(out, 'validity.json', `${JSON.stringify(result, null, 2)}\n`);
      writeOutput(out, 'validity.md', validityPage(result));
      return 0;
    });
  },
};

/** What a part does not measure stays as it was. */
async function measure(
  plan: Plan,
  part: string | undefined,
  out: string,
  cycle: LifeCycle,
): Promise<ValidityResult> {
  const startedAt = new Date();
  const directory = cycle.guardian.temporaryDirectory();
  const environment = captureEnvironment({ directory });
  cycle.guardian.remove(directory);
  const file = join(out, 'validity.json');
  const earlier: Partial<ValidityResult> =
    part !== undefined && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const { simulated = [], real = [], modes: compared = [] } = earlier;
  let result = { simulated, real, modes: compared };
  for (const [name, run] of Object.entries(PARTS))
    if (part === undefined || part === name) result = { ...result, ...(await run(plan, cycle)) };
  const seconds = (Date.now() - startedAt.getTime()) / 1000;
  return {
    ...{ schema: 'plimsoll/1', kind: 'validity', startedAt: startedAt.toISOString() },
    seconds: seconds + (earlier.seconds ?? 0),
    ...{ seed: SEED, environment, ...result },
  };
}

function simulatedPart(plan: Plan): Simulated[] {
  return WORLDS.flatMap((world) =>
    [1, ...PLANTED].map((planted) => {
      console.error(`simulated: ${world.name}, ${planted}`);
      return simulate(world, planted, planted === 1 ? plan.simulated : plan.planted, SEED);
    }),
  );
}

async function realPart(plan: Plan, cycle: LifeCycle): Promise<RealSuite[]> {
  const real: RealSuite[] = [];
  for (const isDisturbed of [false, true])
    await beside(cycle, isDisturbed ? { burners: 2, isAlways: false } : null, async () => {
      for (const planted of [1, ...PLANTED])
        for (let suite = 0; suite < (planted === 1 ? plan.real : plan.realPlanted); suite++) {
          console.error(`real: ${isDisturbed ? 'disturbed' : 'quiet'}, ${planted}, suite ${suite + 1}`);
          real.push(await realSuite(planted, isDisturbed, plan.suiteMs, cycle.signal));
        }
    });
  return real;
}

async function widthsPart(plan: Plan, cycle: LifeCycle): Promise<ModePair[]> {
  const found: ModePair[] = [];
  for (const isDisturbed of [false, true])
    await beside(cycle, isDisturbed ? { burners: 1, isAlways: true } : null, async () => {
      console.error(`widths: ${isDisturbed ? 'beside a busy process' : 'quiet'}`);
      found.push(...(await modes(isDisturbed, plan.modeMs, cycle.signal)));
    });
  return found;
}
