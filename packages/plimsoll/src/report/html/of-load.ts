import { timeOf } from '../../load/analyse.js';
import type { LoadCell, LoadRecommendation, LoadResult, LoadRound } from '../../results/load.js';
import { change, formatChange, formatMs, tableName } from '../format.js';
import {
  disturbed,
  happenings,
  howLoaded,
  howSliced,
  leaning,
  legend,
  loadTables,
  lostOf,
  reason,
  sharing,
  tableTitle,
} from '../load.js';
import { loadTable } from '../load-table.js';
import { escapeText } from './escape.js';
import { latencySpectrum } from './latency-spectrum.js';
import { coreRules, timesOf, wrongBy } from './of-bench.js';
import { orderStrip } from './order-strip.js';
import { roundRatios } from './round-ratios.js';
import type { Detail, Render, Section, Verdict } from './section.js';
import { drawSizeCurve } from './size-curve.js';
import { EMPHASIS, htmlTable } from './table.js';

/** The result of `plimsoll load`: a curve, a latency spectrum and a table for each kind of traffic. */
export const loadSection: Render<LoadResult> = (result, id, detail): Section => {
  const { environment, method, recommended } = result;
  const tables = loadTables(result);
  const shared = sharing(method.target, environment.cpu.effectiveCpus);
  const lines = [howLoaded(result), legend(result), ...(shared === null ? [] : [shared])];
  const hit = disturbed(result);
  return {
    id,
    title: [...new Set(tables.map((cells) => cells[0]?.mode ?? ''))].join(', '),
    kind: 'plimsoll load',
    verdicts: recommended.map((one) => verdictOf(one, result)),
    body: [
      `<p class="how">${lines.map(escapeText).join('<br>')}${method.interrupted ? '<br><strong>interrupted: what was measured until then</strong>' : ''}</p>`,
      hit === null ? '' : `<p class="warning">${escapeText(hit)}</p>`,
      `<div class="curves">${tables.map((cells, index) => curveOf(cells, result, `${id}-${index + 1}`, detail)).join('\n')}</div>`,
      ...tables.map((cells, index) => tablePart(cells, result, `${id}-${index + 1}`, detail)),
    ].join('\n'),
  };
};

/** How far the baseline's twin was from it. */
function twinOf({ tables, method }: LoadResult, { mode, case: name }: LoadCell): string[] {
  const noise = tables.find((table) => table.mode === mode && table.case === name)?.noise;
  if (noise == null) return [];
  const { aaRatio, aaInterval, noisy } = noise;
  const by = aaInterval === null ? change(aaRatio) : formatChange(aaRatio, aaInterval);
  return [`A/A: the twin of ${method.baseline} differs by ${by}${noisy ? ': too noisy for a ranking' : ''}`];
}

function verdictOf(recommendation: LoadRecommendation, { cells, method }: LoadResult): Verdict {
  const { mode, case: name, estimate } = recommendation;
  const size = recommendation.size ?? estimate;
  const cell = cells.find((one) => one.mode === mode && one.case === name && one.size === size);
  const { ratio = null, interval = null, chanceSlower = null } = cell ?? {};
  return {
    work: tableName(mode, name),
    size,
    isEstimate: leaning(recommendation).startsWith('~'),
    gain:
      ratio === null || interval === null || size === method.baseline
        ? ''
        : `${formatChange(ratio, interval)} time`,
    sure: chanceSlower === null ? '' : wrongBy(chanceSlower),
    because: reason(recommendation),
  };
}

function curveOf(cells: readonly LoadCell[], result: LoadResult, id: string, detail: Detail): string {
  const compared = cells.filter(({ size, ratio }) => size !== null && ratio !== null);
  const [first] = cells;
  if (compared.length < 2 || first === undefined) return '';
  const { baseline } = result.method;
  const timeOfRound = (round: LoadRound): number =>
    timeOf(round, { kind: first.rate === null ? 'closed' : 'open' });
  const ofBaseline = ownRounds(compared.find(({ size }) => size === baseline));
  const title = `${tableName(first.mode, first.case)}: time against ${baseline}`;
  return drawSizeCurve({
    id: `${id}-curve`,
    title,
    description: `${title}: ${compared.map(({ size, ratio }) => `${size} ${change(ratio as number)}`).join(', ')}`,
    points: compared.map((cell) => ({
      size: cell.size as number,
      value: cell.ratio as number,
      interval: cell.size === baseline ? null : cell.interval,
      rounds: detail.rounds ? roundRatios(ownRounds(cell), ofBaseline, timeOfRound) : [],
    })),
    chosen:
      result.recommended.find((one) => one.mode === first.mode && one.case === first.case)?.size ?? null,
    rules: coreRules(result.environment),
    same: [0.97, 1.03],
    format: timesOf,
  });
}

/** Without those of the twin. */
const ownRounds = (cell: LoadCell | undefined): LoadRound[] =>
  (cell?.rounds ?? []).filter(({ twin }) => !twin);

function tablePart(cells: readonly LoadCell[], result: LoadResult, id: string, detail: Detail): string {
  const [first] = cells;
  if (first === undefined) return '';
  const [name = '', ...rest] = tableTitle(first, result.method.operation);
  const { columns, rows } = loadTable(cells, result.method.baseline, (text) => EMPHASIS + text);
  const chosen = result.recommended.find((one) => one.mode === first.mode && one.case === first.case)?.size;
  const warnings = [...cells.flatMap(happenings), ...lostOf(result, first)];
  const rounds = cells.flatMap((cell) =>
    ownRounds(cell).map((round) => ({
      ...round,
      size: cell.size ?? 0,
      disturbed: round.disturbances.length > 0,
    })),
  );
  return `<details open><summary><h3>${escapeText(name)}</h3> <span>${escapeText(rest.join(', '))}</span></summary>
<p class="how">${[...howSliced(result, first), ...twinOf(result, first)].map(escapeText).join('<br>')}</p>${htmlTable(
    columns,
    rows,
    {
      id: `${id}-table`,
      caption: `${name} by pool size`,
      chosen: cells.findIndex(({ size }) => size !== null && size === chosen),
    },
  )}
${warnings.map((text) => `<p class="warning">${escapeText(text)}</p>`).join('')}
${latencySpectrum(
  cells.map(({ size, httpMs, operationMs, rate }) => ({
    size,
    latency: rate === null ? (operationMs ?? httpMs) : httpMs,
  })),
  { id: `${id}-spectrum`, isOpen: first.rate !== null, format: formatMs },
)}${detail.rounds ? orderStrip(rounds) : ''}</details>`;
}
