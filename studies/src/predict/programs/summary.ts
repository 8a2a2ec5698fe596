import { quantile } from 'plimsoll/lab';
import type { ComparedSize, Held, ProgramPrediction, ProgramResult } from './result.js';

/** A figure over several predictions; NaN where there is none. */
export interface FigureSummary {
  /** Median of the absolute errors. */
  readonly error: number;
  /** Median of the spread of the measured runs. */
  readonly spread: number;
  readonly compared: number;
}

/** What the predictions of some programs come to. */
export interface ProgramSummary {
  readonly mean: FigureSummary;
  /** The same after the factor by which the recorded run differed from the measured runs of its size is taken off. */
  readonly shape: number;
  readonly p99: FigureSummary;
  /** Makespan of commands, throughput of servers in a closed loop. */
  readonly pace: FigureSummary;
  /** Share of measured figures inside their band. */
  readonly covered: number;
  /** Median of half of the bands, as a share of the prediction. */
  readonly halfWidth: number;
  readonly regret: number;
  /** Where runs of one size agreed within 10 %. */
  readonly steadyRegret: number;
  /** Of the predictions where no size helps, how many say so. */
  readonly noSizeHelps: Counted;
  /** Of those where one helps, how many say that none does. */
  readonly wronglyNone: Counted;
  readonly overload: Counted;
}

export interface Counted {
  readonly count: number;
  readonly of: number;
}

export const TARGETS = {
  mean: 0.08,
  p99: 0.2,
  pace: 0.05,
  covered: 0.8,
  halfWidth: 0.25,
  regret: 0.05,
  steadyRegret: 0.1,
};

const median = (values: readonly number[]): number =>
  values.length === 0 ? Number.NaN : quantile(values, 0.5);

export function summaryOf(results: readonly ProgramResult[]): ProgramSummary {
  const predictions = results.flatMap((result) => result.predictions);
  const compared = predictions.flatMap((one) => one.compared);
  const held = [
    ...figuresOf(compared, 'mean'),
    ...figuresOf(compared, 'p99'),
    ...figuresOf(compared, 'pace'),
  ];
  const regrets = predictions.filter((one) => one.regret !== null);
  const steady = regrets.filter(({ regretIsSteady }) => regretIsSteady);
  return {
    mean: summarised(figuresOf(compared, 'mean')),
    shape: median(predictions.flatMap(shapeErrors)),
    p99: summarised(figuresOf(compared, 'p99')),
    pace: summarised(figuresOf(compared, 'pace')),
    covered: held.length === 0 ? Number.NaN : held.filter(({ inBand }) => inBand).length / held.length,
    halfWidth: median(held.map(({ halfWidth }) => halfWidth)),
    regret: median(regrets.map(({ regret }) => regret as number)),
    steadyRegret:
      steady.length === 0 ? Number.NaN : Math.max(...steady.map(({ regret }) => regret as number)),
    noSizeHelps: saying(results.filter((one) => one.noSizeHelps)),
    wronglyNone: saying(results.filter((one) => !one.noSizeHelps)),
    overload: { count: compared.filter(({ overloadAgrees }) => overloadAgrees).length, of: compared.length },
  };
}

const shapeErrors = ({ compared, recorderCost }: ProgramPrediction): number[] =>
  figuresOf(compared, 'mean').map(({ error }) => Math.abs((1 + error) / (1 + recorderCost) - 1));

const figuresOf = (compared: readonly ComparedSize[], figure: 'mean' | 'p99' | 'pace'): Held[] =>
  compared.flatMap((one) => one[figure] ?? []);

const summarised = (held: readonly Held[]): FigureSummary => ({
  error: median(held.map(({ error }) => Math.abs(error))),
  spread: median(held.map(({ spread }) => spread)),
  compared: held.length,
});

function saying(results: readonly ProgramResult[]): Counted {
  const predictions = results.flatMap((one): readonly ProgramPrediction[] => one.predictions);
  return {
    count: predictions.filter(({ saysNoSizeHelps }) => saysNoSizeHelps).length,
    of: predictions.length,
  };
}

/** One line of what was to be reached. */
export interface Target {
  readonly what: string;
  /** `8 %`, or how far runs differ where that is more. */
  readonly target: string;
  readonly reached: string;
  /** `null`: nothing was measured that tells. */
  readonly isMet: boolean | null;
}

const percent = (value: number): string => `${(100 * value).toFixed(1)} %`;

/** Everything that was to be reached, in the order of the page. */
export function targetsOf(summary: ProgramSummary): Target[] {
  const { mean, p99, pace, covered, halfWidth, regret, steadyRegret, noSizeHelps, wronglyNone, overload } =
    summary;
  const atMost = (what: string, value: number, limit: number, target = percent(limit)): Target => ({
    what,
    target: `≤ ${target}`,
    reached: Number.isNaN(value) ? '–' : percent(value),
    isMet: Number.isNaN(value) ? null : value <= limit,
  });
  const all = (what: string, { count, of }: Counted): Target => ({
    what,
    target: 'always',
    reached: of === 0 ? '–' : `${count} of ${of}`,
    isMet: of === 0 ? null : count === of,
  });
  // A comparison with NaN is never true.
  const spread = mean.spread > TARGETS.mean ? mean.spread : TARGETS.mean;
  return [
    atMost(
      'median error of the mean latency',
      mean.error,
      spread,
      spread === TARGETS.mean ? percent(spread) : `${percent(spread)}, the spread of runs`,
    ),
    atMost('median error of the p99', p99.error, TARGETS.p99),
    atMost('median error of makespan or throughput', pace.error, TARGETS.pace),
    {
      what: 'measured inside the band',
      target: `≥ ${percent(TARGETS.covered)}`,
      reached: Number.isNaN(covered) ? '–' : percent(covered),
      isMet: Number.isNaN(covered) ? null : covered >= TARGETS.covered,
    },
    atMost('median half width of the bands', halfWidth, TARGETS.halfWidth),
    atMost('median regret of the recommended size', regret, TARGETS.regret),
    atMost('worst regret where runs agree within 10 %', steadyRegret, TARGETS.steadyRegret),
    all('“no size helps” said where it is so', noSizeHelps),
    {
      what: '“no size helps” said where one does',
      target: 'never',
      reached: wronglyNone.of === 0 ? '–' : `${wronglyNone.count} of ${wronglyNone.of}`,
      isMet: wronglyNone.of === 0 ? null : wronglyNone.count === 0,
    },
    all('overload, or that there is none, said', overload),
  ];
}
