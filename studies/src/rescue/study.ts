// Four threads, sixty-four, or a rescue? Servers whose jobs hang and compute by turns; writes a page of docs/results, a quick run
// .cache/study-rescue/.
import { readFileSync } from 'node:fs';
import {
  captureEnvironment,
  contest,
  createRandom,
  openLocalResolver,
  type Resolver,
  readOptions,
  usage,
} from '@plimsoll/lab';
import { type Command, type LifeCycle, withGuardian } from '../common/command.js';
import { RESULTS, scratch, writeOutput } from '../common/paths.js';
import { ARMS, MAX, type RescueResult, rescuePage } from './page.js';
import { PHASES, RESCUED } from './phases.js';
import { openServer, type Slice } from './run.js';

const PLANS = {
  full: { slices: 16, sliceMs: 500, generations: 2 },
  quick: { slices: 3, sliceMs: 300, generations: 1 },
} as const;
const BASELINE = '64';

export const rescueStudy: Command = {
  name: 'rescue',
  run(args) {
    const { values } = readOptions(args, { quick: { type: 'boolean' }, from: { type: 'string' } });
    if (values.from !== undefined) {
      writeOutput(RESULTS, 'rescue.md', rescuePage(readResult(values.from)));
      return 0;
    }
    const effort = values.quick ? 'quick' : 'full';
    return withGuardian(async (cycle) => {
      const result = await measure(effort, cycle);
      const out = values.quick ? scratch('rescue') : RESULTS;
      writeOutput(out, 'rescue.json', `${JSON.stringify(result)}\n`);
      writeOutput(out, 'rescue.md', rescuePage(result));
      process.stdout.write(rescuePage(result));
      return result.failure === null ? 0 : 4;
    });
  },
};

function readResult(file: string): RescueResult {
  const result = JSON.parse(readFileSync(file, 'utf8')) as RescueResult;
  if (result.kind !== 'rescue') throw usage(`${file} is no result of study:rescue`);
  return result;
}

/** A name server that answers when a phase is over; null where there is no network of its own. */
async function silentResolver(delayMs: number, { guardian }: LifeCycle): Promise<Resolver | null> {
  try {
    return await openLocalResolver(delayMs, guardian);
  } catch (error) {
    process.stderr.write(`rescue: no lookups hang (${(error as Error).message})\n`);
    return null;
  }
}

async function measure(effort: RescueResult['effort'], cycle: LifeCycle): Promise<RescueResult> {
  const { slices, sliceMs, generations } = PLANS[effort];
  const startedAt = new Date();
  const directory = cycle.guardian.temporaryDirectory();
  const environment = captureEnvironment({ directory });
  const resolver = await silentResolver(slices * sliceMs * (ARMS.length + 1), cycle);
  const names = resolver ?? { prefix: [], names: ['localhost'] };
  const outcome = await contest<Slice, string>({
    ...{ ids: ARMS, baseline: BASELINE, isolated: false, timeMs: null, startedMs: performance.now() },
    ...{ blocks: PHASES.length * slices, mostGenerations: generations },
    ...{ random: createRandom(1), signal: cycle.signal },
    open([first]) {
      const arm = first === undefined || first === 'twin' ? BASELINE : first;
      const threads = arm === RESCUED ? MAX : Number(arm);
      return openServer({ arm, threads, directory, slices, sliceMs, resolver: names }, cycle);
    },
    judge: () => ({ settled: false }),
    onRound({ generation, arm, block, result }) {
      if (arm === BASELINE && block % slices === 0)
        process.stderr.write(`rescue: generation ${generation + 1}, ${PHASES[result.phase]?.id}\n`);
    },
  });
  await resolver?.close();
  cycle.signal.throwIfAborted();
  const failures = [...outcome.lost.values(), outcome.error].filter((error) => error !== undefined);
  return {
    ...{ schema: 'plimsoll/1', kind: 'rescue', effort, startedAt: startedAt.toISOString() },
    seconds: Math.round((Date.now() - startedAt.getTime()) / 1000),
    ...{ sliceMs, slices, generations: outcome.generations, resolver: resolver?.description ?? null },
    environment,
    failure: failures.length === 0 ? null : failures.map(String).join('; '),
    rounds: outcome.rounds.map(({ generation, arm, result }) => ({ generation, arm, result })),
  };
}
