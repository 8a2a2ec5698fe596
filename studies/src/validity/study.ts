// How often `plimsoll bench` is wrong, how soon it is right, and what turns gain over one process at a time; writes validity.json
// and validity.md. `--quick`: a few suites of each kind, into .cache/study-validity.
import { captureEnvironment, readOptions } from 'plimsoll/lab';
import { type Command, type LifeCycle, withGuardian } from '../common/command.js';
import { RESULTS, scratch, writeOutput } from '../common/paths.js';
import { validityPage } from './page.js';
import { disturbed, modes, realSuite } from './real.js';
import type { ModePair, RealSuite, Simulated, ValidityResult } from './result.js';
import { simulate, WORLDS } from './simulated.js';

const SEED = 2026;
const PLANTED = [1.02, 1.05, 1.2];

const PLANS = {
  full: { simulated: 2000, planted: 300, real: 20, realPlanted: 5, suiteMs: 8_000, modeMs: 20_000 },
  quick: { simulated: 20, planted: 10, real: 1, realPlanted: 1, suiteMs: 2_000, modeMs: 2_000 },
} as const;

export const validity: Command = {
  name: 'validity',
  run(args) {
    const { values } = readOptions(args, { quick: { type: 'boolean' } });
    return withGuardian(async (cycle) => {
      const result = await measure(PLANS[values.quick ? 'quick' : 'full'], cycle);
      const out = values.quick ? scratch('validity') : RESULTS;
      writeOutput(out, 'validity.json', `${JSON.stringify(result, null, 2)}\n`);
      writeOutput(out, 'validity.md', validityPage(result));
      return 0;
    });
  },
};

type Plan = (typeof PLANS)[keyof typeof PLANS];

async function measure(plan: Plan, cycle: LifeCycle): Promise<ValidityResult> {
  const startedAt = new Date();
  const directory = cycle.guardian.temporaryDirectory();
  const environment = captureEnvironment({ directory });
  cycle.guardian.remove(directory);
  const { real, compared } = await realParts(plan, cycle);
  const simulated = simulatedParts(plan);
  return {
    schema: 'plimsoll/1',
    kind: 'validity',
    startedAt: startedAt.toISOString(),
    seconds: (Date.now() - startedAt.getTime()) / 1000,
    seed: SEED,
    environment,
    simulated,
    real,
    modes: compared,
  };
}

function simulatedParts(plan: Plan): Simulated[] {
  return WORLDS.flatMap((world) =>
    [1, ...PLANTED].map((planted) => {
      console.error(`simulated: ${world.name}, ${planted}`);
      return simulate(world, planted, planted === 1 ? plan.simulated : plan.planted, SEED);
    }),
  );
}

async function realParts(plan: Plan, cycle: LifeCycle): Promise<{ real: RealSuite[]; compared: ModePair[] }> {
  const real: RealSuite[] = [];
  const compared: ModePair[] = [];
  for (const isDisturbed of [false, true])
    await disturbed(cycle, isDisturbed, async () => {
      compared.push(...(await modes(isDisturbed, plan.modeMs, cycle.signal)));
      for (const planted of [1, ...PLANTED])
        for (let suite = 0; suite < (planted === 1 ? plan.real : plan.realPlanted); suite++) {
          console.error(`real: ${isDisturbed ? 'disturbed' : 'quiet'}, ${planted}, suite ${suite + 1}`);
          real.push(await realSuite(planted, isDisturbed, plan.suiteMs, cycle.signal));
        }
    });
  return { real, compared };
}
