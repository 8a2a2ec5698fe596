import type { Environment } from '../../host/environment.js';
import type { BenchResult, RoundResult, WorkloadResult } from '../../results/bench.js';
import { because, howMeasured, howTurns } from '../bench.js';
import { benchColumns, benchRows } from '../bench-table.js';
import { sizeOf } from '../findings/context.js';
import { change, formatChange, formatDuration, percent } from '../format.js';
import { escapeText } from './escape.js';
import { findingList } from './finding-list.js';
import { roundRatios } from './round-ratios.js';
import type { Detail, Render, Section, Verdict } from './section.js';
import { drawSizeCurve, type SizeCurve } from './size-curve.js';
import { htmlTable } from './table.js';

/** A wrong recommendation is less likely than this, or it is an estimate. */
const ACCEPTED_CHANCE = 0.05;
/** As `verdict` has it: within 3 % of the baseline is the same. */
const SAME = [0.97, 1.03] as const;

/** The result of `plimsoll bench`: a curve and a table for each workload. */
export const benchSection: Render<BenchResult> = (result, id, detail): Section => {
  const { method, environment, workloads, findings } = result;
  const { baseline } = method;
  const parts = workloads.map((workload, index) =>
    workloadPart(workload, result, `${id}-${index + 1}`, detail),
  );
  const how = `${howTurns(method.mode)}, ${baseline} twice (A/A), seed ${method.seed}, ${formatDuration(method.seconds * 1000)}`;
  return {
    id,
    title: workloads.map(({ name }) => name).join(', '),
    kind: 'plimsoll bench',
    verdicts: workloads
      .filter(({ sizes }) => sizes.length > 0)
      .map((workload) => verdictOf(workload, baseline)),
    body: [
      `<p class="how">${escapeText(how)}${method.interrupted ? ' · <strong>interrupted: only complete blocks are counted</strong>' : ''}</p>`,
      `<div class="curves">${parts.map(({ curve }) => curve).join('\n')}</div>`,
      findingList(findings),
      ...parts.map(({ table }) => table),
      again(['bench', ...workloads.map(({ name }) => name)], method, environment),
    ].join('\n'),
  };
};

function verdictOf(workload: WorkloadResult, baseline: number): Verdict {
  const { name, recommended, asGood, sizes } = workload;
  const chosen = sizeOf(workload, recommended);
  const size = recommended ?? (asGood.length > 0 && sizes.length > 1 ? Math.min(...asGood) : null);
  const known = sizeOf(workload, size);
  return {
    work: name,
    size,
    isEstimate: chosen === undefined || chosen.chanceSlower > ACCEPTED_CHANCE,
    gain:
      known === undefined || known.interval === null || size === baseline
        ? ''
        : `${formatChange(known.ratio, known.interval)} time`,
    sure: known === undefined ? '' : wrongBy(known.chanceSlower),
    because: because(workload, baseline),
  };
}

/** How likely the size is a bad choice: more than 5 % slower than the best one. */
export const wrongBy = (chance: number): string =>
  `chance of being wrong: ${chance < 0.001 ? 'below 0.1' : percent(chance)} %`;

function workloadPart(
  workload: WorkloadResult,
  { method, environment }: BenchResult,
  id: string,
  detail: Detail,
): { curve: string; table: string } {
  const { name, description, sizes, failure, recommended, noise } = workload;
  const { baseline } = method;
  const failed = failure === null ? '' : `<p class="warning">failed: ${escapeText(failure.message)}</p>`;
  const title = `${name}: time against ${baseline}`;
  if (sizes.length === 0) return { curve: '', table: `<h3>${escapeText(name)}</h3>${failed}` };
  const [columns, rows] = [benchColumns(baseline, false), benchRows(workload, baseline, false)];
  const curve: SizeCurve = {
    id: `${id}-curve`,
    title,
    description: `${title}: ${sizes.map(({ size, ratio }) => `${size} ${change(ratio)}`).join(', ')}`,
    points: sizes.map((size) => ({
      size: size.size,
      value: size.ratio,
      interval: size.size === baseline ? null : size.interval,
      rounds: detail.rounds ? roundRatios(size.rounds, sizeOf(workload, baseline)?.rounds ?? [], workMs) : [],
    })),
    chosen: recommended,
    rules: coreRules(environment),
    same: SAME,
    format: timesOf,
  };
  const twin =
    noise === null
      ? ''
      : `<p class="how">A/A: the twin of ${baseline} differs by ${change(noise.aaRatio)}${noise.noisy ? ': too noisy for a ranking' : ''}. ${disturbedText(workload)}</p>`;
  return {
    curve: drawSizeCurve(curve),
    table: `<details open><summary><h3>${escapeText(name)}</h3> <span>${escapeText(description)}</span></summary>${failed}
<p class="how">${escapeText(howMeasured(workload))}</p>${htmlTable(columns, rows, {
      id: `${id}-table`,
      caption: `${name} by pool size`,
      chosen: sizes.findIndex(({ size }) => size === recommended),
    })}${twin}</details>`,
  };
}

const workMs = (round: RoundResult): number => round.workMs;

export const timesOf = (ratio: number): string => `${Number(ratio.toPrecision(3))}×`;

function disturbedText({ disturbances, method }: WorkloadResult): string {
  const hit = disturbances.filter(({ what }) => what.length > 0);
  if (hit.length === 0 || method === null) return 'Nothing disturbed the machine meanwhile.';
  const what = [...new Set(hit.flatMap((one) => one.what))].join(', ');
  return `${hit.length} of ${method.generations} generations were disturbed (${escapeText(what)}), which hits all sizes alike.`;
}

/** Where cores and quota stand on the axis of sizes. */
export function coreRules({ cpu, limits }: Environment): SizeCurve['rules'] {
  const cores = cpu.effectiveCpus;
  const quota = limits.cpuQuotaCores;
  return [
    { at: cores, label: cores === 1 ? '1 core' : `${Number(cores.toFixed(1))} cores` },
    ...(quota === null || quota === cores ? [] : [{ at: quota, label: `quota ${quota}` }]),
  ];
}

function again(
  words: readonly string[],
  { sizes, baseline, seed, mode, timeMs }: BenchResult['method'],
  { node }: Environment,
): string {
  const command = [
    ...['plimsoll', ...words, '--sizes', sizes.join(','), '--baseline', String(baseline)],
    ...['--seed', String(seed)],
    ...(mode === 'isolated' ? ['--isolated'] : []),
    ...(timeMs === null ? [] : ['--time', String(timeMs / 1000)]),
  ];
  return `<p class="again">Again, with Node ${escapeText(node.version)}: <code>${escapeText(command.join(' '))}</code></p>`;
}
