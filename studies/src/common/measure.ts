import { tmpdir } from 'node:os';
import { installedVersions } from '@plimsoll/benchmarks/versions';
import { captureEnvironment, createRandom, type Guardian } from '@plimsoll/lab';
import { isSettled } from './compare.js';
import { openContender } from './open-contender.js';
import type { ConditionResult, StudyResult } from './result.js';
import type { Condition, Effort, Study } from './study.js';
import { takeTurns } from './take-turns.js';

export interface MeasurePlan {
  readonly effort: Effort;
  /** For each condition, in milliseconds; `null`: what the condition says. */
  readonly timeMs: number | null;
  readonly seed: number;
  readonly guardian: Guardian;
  readonly signal: AbortSignal;
  onRound(text: string): void;
}

const OURS = ['@plimsoll/pool', '@plimsoll/bullmq'];

/** Measures a study condition by condition: its contenders and an A/A twin take turns by short rounds. */
export async function measureStudy(study: Study, plan: MeasurePlan): Promise<StudyResult> {
  const started = new Date();
  const programs = study.programs?.() ?? {};
  const conditions: ConditionResult[] = [];
  for (const condition of study.conditions(plan.effort))
    conditions.push(await measureCondition(study, condition, plan));
  return {
    schema: 'plimsoll/1',
    kind: 'study',
    name: study.name,
    effort: plan.effort,
    startedAt: started.toISOString(),
    seconds: Math.round((Date.now() - started.getTime()) / 1000),
    seed: plan.seed,
    environment: captureEnvironment({ directory: tmpdir() }),
    versions: {
      ...installedVersions(study.packages, (name) => import.meta.resolve(name), OURS),
      ...programs,
    },
    conditions,
  };
}

async function measureCondition(
  study: Study,
  condition: Condition,
  plan: MeasurePlan,
): Promise<ConditionResult> {
  const { id, title, contenders, baseline, metrics, judged, parameters, isolated = false } = condition;
  const { guardian, signal } = plan;
  const random = createRandom(plan.seed);
  const about = { id, title, contenders, baseline, metrics, judged, parameters };
  const turns = await takeTurns({
    contenders: contenders.map((contender) => contender.id),
    baseline,
    isolated,
    timeMs: plan.timeMs ?? condition.seconds * 1000,
    random,
    signal,
    open: (contender) =>
      openContender({ study: study.name, contender, parameters }, { guardian, signal }, random),
    isSettled: (until) => isSettled({ ...about, ...until }),
    onRound: (generation, contender) =>
      plan.onRound(`${study.name}, ${title}: generation ${generation + 1}, ${contender}`),
  });
  return { ...about, ...turns };
}
