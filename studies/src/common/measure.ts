import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import {
  askFreshProcess,
  type BlockRun,
  captureEnvironment,
  completeBlocks,
  createRandom,
  type Guardian,
  installedVersions,
  type Outcome,
  runBlocks,
} from 'plimsoll/lab';
import type { ConditionResult, RunRecord, StudyResult } from './result.js';
import type { Condition, Effort, Study } from './study.js';

export interface MeasurePlan {
  readonly effort: Effort;
  readonly blocks: number;
  readonly seed: number;
  readonly guardian: Guardian;
  readonly signal: AbortSignal;
  onRun(text: string): void;
}

const ENTRY = fileURLToPath(new URL('./child.js', import.meta.url));
const OURS = '@plimsoll/pool';
const LEAST_DEADLINE_MS = 20_000;

/** Measures a study: every contender of every condition in fresh processes, in randomised blocks with an A/A twin. */
export async function measureStudy(study: Study, plan: MeasurePlan): Promise<StudyResult> {
  const started = new Date();
  const conditions: ConditionResult[] = [];
  for (const condition of study.conditions(plan.effort))
    conditions.push(await measureCondition(study, condition, plan));
  return {
    schema: 'plimsoll/1',
    kind: 'study',
    name: study.name,
    effort: plan.effort,
    startedAt: started.toISOString(),
    seconds: (Date.now() - started.getTime()) / 1000,
    seed: plan.seed,
    environment: captureEnvironment({ directory: tmpdir() }),
    versions: installedVersions(study.packages, (name) => import.meta.resolve(name), [OURS]),
    conditions,
  };
}

async function measureCondition(
  study: Study,
  condition: Condition,
  plan: MeasurePlan,
): Promise<ConditionResult> {
  const { id, title, contenders, baseline, metrics, parameters, expectedMs } = condition;
  const { seed, guardian, signal } = plan;
  const random = createRandom(seed);
  const deadlineMs = Math.max(LEAST_DEADLINE_MS, 4 * expectedMs);
  const outcome = await runBlocks<Outcome, string>({
    sizes: contenders.map((contender) => contender.id),
    baseline,
    blocks: plan.blocks,
    random,
    run: (contender) => {
      const job = { study: study.name, contender, parameters };
      const command = [process.execPath, ENTRY] as const;
      return inDirectory(guardian, (TMPDIR) =>
        askFreshProcess({ command, env: { TMPDIR }, job, deadlineMs }, guardian, random, signal),
      );
    },
    cpuSecondsOf: (result) => (result.type === 'measured' ? result.cpuSeconds : 0),
    onRun: ({ arm, block }) => plan.onRun(`${study.name}, ${title}: block ${block + 1}, ${arm}`),
  });
  if (outcome.error !== undefined) throw outcome.error;
  const complete = completeBlocks(
    outcome,
    contenders.map((contender) => contender.id),
  );
  return {
    ...{ id, title, contenders, baseline, metrics, parameters },
    blocks: complete.get(baseline)?.length ?? 0,
    repeatedBlocks: outcome.repeatedBlocks,
    runs: outcome.runs.map((run) => recordOf(run, baseline)),
  };
}

/** Every run has a directory for what it writes, which is gone afterwards whatever ends the run. */
async function inDirectory<Result>(
  guardian: Guardian,
  run: (directory: string) => Promise<Result>,
): Promise<Result> {
  const directory = guardian.temporaryDirectory();
  try {
    return await run(directory);
  } finally {
    guardian.remove(directory);
  }
}

function recordOf(run: BlockRun<Outcome, string>, baseline: string): RunRecord {
  const { arm, block, order, disturbances, superseded, result } = run;
  return {
    contender: arm === 'twin' ? baseline : arm,
    twin: arm === 'twin',
    ...{ block, order, disturbances, superseded },
    metrics: result.type === 'measured' ? result.metrics : null,
    failure: result.type === 'measured' ? null : result.reason,
  };
}
