import { median } from '@plimsoll/lab';
import { type BlockRun, completeBlocks } from './blocks/blocks.js';
import type { Outcome } from './blocks/outcome.js';
import type { Case, Metric, Target } from './cases/case.js';
import { type Estimate, estimateRatio } from './common/estimate.js';
import { hodgesLehmann, signedRankInterval } from './common/signed-rank.js';
import { CONTENDERS, type ContenderName } from './contenders/contenders.js';
import { baselineOf, type CaseOutcome, type Plan } from './experiment.js';
import type { CaseResult, Reached, Row, Run } from './result.js';

const OURS: ContenderName = 'plimsoll';

/** One contender's figures in the order of the blocks, or why it has none. */
type Figures = { without: string } | { without: null; of(metric: string): number[] };

/** What the runs of a case say: medians, ratios, and which targets are reached. */
export function analyse(plan: Plan, outcome: CaseOutcome, startedAt: Date): CaseResult {
  const { case: chosen } = plan;
  const baseline = baselineOf(chosen);
  const complete = completeBlocks(outcome, chosen.contenders);
  const figures = new Map(
    [...complete].map(([arm, runs]): [ContenderName | 'twin', Figures] => [arm, figuresOf(runs)]),
  );
  const of = (arm: ContenderName | 'twin', metric: string): number[] | null => {
    const found = figures.get(arm);
    return found === undefined || found.without !== null ? null : found.of(metric);
  };
  const primary = (chosen.metrics[0] as Metric).id;
  return {
    name: chosen.name,
    title: chosen.title,
    description: chosen.description,
    effort: plan.effort,
    measuredAt: startedAt.toISOString(),
    seconds: (Date.now() - startedAt.getTime()) / 1000,
    seed: plan.seed,
    blocks: complete.get(baseline)?.length ?? 0,
    repeatedBlocks: outcome.repeatedBlocks,
    twin: estimateRatio(of('twin', primary), of(baseline, primary)),
    rows: chosen.contenders.map((contender) =>
      rowOf(contender, chosen, figures.get(contender), (metric) =>
        contender === baseline ? null : estimateRatio(of(contender, metric), of(baseline, metric)),
      ),
    ),
    reached: chosen.targets.map((target) => reachedOf(target, chosen, of)),
    runs: outcome.runs.map((run) => runOf(run, baseline)),
  };
}

function figuresOf(runs: readonly BlockRun<Outcome, ContenderName>[]): Figures {
  const wrong = runs.find(({ result }) => result.type !== 'measured');
  if (wrong !== undefined && wrong.result.type !== 'measured') {
    const failures = runs.filter(({ result }) => result.type === 'failed').length;
    const { type, reason } = wrong.result;
    return { without: type === 'cannot' ? reason : `failed ${failures} of ${runs.length} times: ${reason}` };
  }
  if (runs.length === 0) return { without: 'no block was completed' };
  return {
    without: null,
    of: (metric) =>
      runs.map(({ result }) =>
        result.type === 'measured' ? (result.metrics[metric] ?? Number.NaN) : Number.NaN,
      ),
  };
}

function rowOf(
  contender: ContenderName,
  { metrics }: Case,
  figures: Figures | undefined,
  timesOf: (metric: string) => Estimate | null,
): Row {
  const { title } = CONTENDERS[contender];
  if (figures === undefined || figures.without !== null)
    return { contender, title, without: figures?.without ?? 'not run', medians: {}, times: {} };
  return {
    contender,
    title,
    without: null,
    medians: Object.fromEntries(metrics.map(({ id }) => [id, median(figures.of(id))])),
    times: Object.fromEntries(metrics.map(({ id }) => [id, timesOf(id)])),
  };
}

function centre(values: number[] | null): Estimate | null {
  if (values === null || values.length === 0) return null;
  return { value: hodgesLehmann(values), ...signedRankInterval(values) };
}

function reachedOf(
  target: Target,
  { metrics, contenders }: Case,
  of: (contender: ContenderName, metric: string) => number[] | null,
): Reached {
  const ours = of(OURS, target.metric);
  const metric = metrics.find(({ id }) => id === target.metric);
  const rival = target.kind === 'value' ? null : rivalOf(target.of, contenders, metric, of);
  const estimate =
    target.kind === 'value'
      ? centre(ours)
      : estimateRatio(ours, rival === null ? null : of(rival, target.metric));
  const meets = (value: number): boolean =>
    value >= (target.atLeast ?? Number.NEGATIVE_INFINITY) &&
    value <= (target.atMost ?? Number.POSITIVE_INFINITY);
  const met = estimate !== null && meets(estimate.value);
  return {
    target: describe(target),
    estimate,
    rival: target.kind === 'times' && target.of === 'next best' ? rival : null,
    met,
    certain: estimate !== null && meets(estimate.low) === met && meets(estimate.high) === met,
  };
}

function rivalOf(
  of: 'piscina' | 'next best',
  contenders: readonly ContenderName[],
  metric: Metric | undefined,
  figures: (contender: ContenderName, metric: string) => number[] | null,
): ContenderName | null {
  if (of === 'piscina') return 'piscina';
  const rivals = contenders
    .filter((contender) => contender !== OURS)
    .flatMap((contender) => {
      const values = figures(contender, metric?.id ?? '');
      return values === null || values.length === 0 ? [] : [{ contender, value: median(values) }];
    })
    .sort((a, b) => (metric?.better === 'more' ? b.value - a.value : a.value - b.value));
  return rivals[0]?.contender ?? null;
}

function describe(target: Target): string {
  const bound = target.atLeast === undefined ? `≤ ${target.atMost}` : `≥ ${target.atLeast}`;
  return target.kind === 'value' ? `${bound} ${target.unit}` : `${bound} × ${target.of}`;
}

function runOf(run: BlockRun<Outcome, ContenderName>, baseline: ContenderName): Run {
  const { arm, block, order, disturbances, superseded, result } = run;
  return {
    contender: arm === 'twin' ? baseline : arm,
    twin: arm === 'twin',
    block,
    order,
    disturbances,
    superseded,
    metrics: result.type === 'measured' ? result.metrics : null,
  };
}
