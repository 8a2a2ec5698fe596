import { BASELINE } from '../cases.js';
import type { Forecast } from './forecast.js';
import type {
  ComparedSize,
  Held,
  MeasuredSize,
  Predicted,
  PredictedSize,
  ProgramPrediction,
} from './result.js';

/** A gain that is smaller is none. */
export const GAIN = 0.05;
/** Runs of one size that are no further apart met the same machine. */
export const STEADY = 0.1;

type Kind = 'server' | 'command';

/** What is judged. */
export interface Subject {
  readonly kind: Kind;
  /** Its pace says something: answers of an open stream are as many as arrivals. */
  readonly paces: boolean;
}

/** What counts for a user: the mean latency of a server's requests, the makespan of a command. */
const felt = (kind: Kind, { mean, makespanMs }: MeasuredSize): number =>
  kind === 'command' && makespanMs !== null ? makespanMs : mean;

/** Sizes that do not keep up are out of the question. */
const usable = (measured: readonly MeasuredSize[]): readonly MeasuredSize[] => {
  const keepUp = measured.filter(({ isOverloaded }) => !isOverloaded);
  return keepUp.length === 0 ? measured : keepUp;
};

function bestOf(kind: Kind, measured: readonly MeasuredSize[]): MeasuredSize | undefined {
  return [...usable(measured)].sort((a, b) => felt(kind, a) - felt(kind, b))[0];
}

/** No measured size is better than the default by more than 5 %, or than its runs differ. */
export function noSizeHelps(kind: Kind, measured: readonly MeasuredSize[]): boolean {
  const own = measured.find(({ size }) => size === BASELINE);
  const best = bestOf(kind, measured);
  if (own === undefined || best === undefined) return false;
  if (own.isOverloaded && !best.isOverloaded) return false;
  const noise = kind === 'command' ? own.spread.pace : own.spread.mean;
  return felt(kind, best) >= felt(kind, own) * (1 - Math.max(GAIN, noise));
}

/**
 * Holds a forecast against what was measured.
 *
 * @param forecast `null` when nothing used the pool, which says that no size helps.
 * @param recordedMean of the recorded run, in milliseconds.
 */
export function judgeProgram(
  { kind, paces }: Subject,
  forecast: Forecast | null,
  measured: readonly MeasuredSize[],
  recordedMean: number,
): ProgramPrediction {
  const own = measured.find(({ size }) => size === BASELINE);
  const recorderCost = recordedMean / (own?.mean ?? Number.NaN) - 1;
  if (forecast === null)
    return {
      basis: 'no pool jobs',
      recommended: null,
      compared: [],
      regret: null,
      regretIsSteady: false,
      saysNoSizeHelps: true,
      recorderCost,
    };
  const { size, confidence, reasons } = forecast.recommended;
  return {
    basis: forecast.sizes[0]?.basis ?? 'jobs',
    recommended: { size, confidence, reasons: reasons.map(({ id }) => id) },
    compared: forecast.sizes.flatMap((predicted) => {
      const real = measured.find((one) => one.size === predicted.size);
      return real === undefined || predicted.size === BASELINE ? [] : [compare(predicted, real, paces)];
    }),
    ...regretOf(kind, size, measured),
    saysNoSizeHelps: promisesNothing(kind, forecast),
    recorderCost,
  };
}

function compare(predicted: PredictedSize, real: MeasuredSize, paces: boolean): ComparedSize {
  const isLatency = !real.isOverloaded;
  const { spread } = real;
  return {
    size: real.size,
    mean: isLatency ? held(predicted.mean, real.mean, spread.mean, predicted.isOverloaded) : null,
    p99:
      isLatency && real.p99 !== null
        ? held(predicted.p99, real.p99, spread.p99, predicted.isOverloaded)
        : null,
    pace:
      paces || real.isOverloaded
        ? held(predicted.pace, real.perSecond ?? real.makespanMs ?? Number.NaN, spread.pace, false)
        : null,
    overloadAgrees: predicted.isOverloaded === real.isOverloaded,
  };
}

/** @param isRefused overload was predicted where there is none: a value is in no band then. */
function held(predicted: Predicted, measured: number, spread: number, isRefused: boolean): Held | null {
  const { value, low, high } = predicted;
  if (!Number.isFinite(value) || !Number.isFinite(measured)) return null;
  return {
    predicted: value,
    measured,
    error: value / measured - 1,
    inBand: !isRefused && measured >= low && measured <= high,
    halfWidth: (high - low) / 2 / value,
    spread,
  };
}

/** Between measured sizes the next smaller one counts. */
function regretOf(
  kind: Kind,
  size: number,
  measured: readonly MeasuredSize[],
): Pick<ProgramPrediction, 'regret' | 'regretIsSteady'> {
  const own = measured.findLast((one) => one.size <= size) ?? measured[0];
  const best = bestOf(kind, measured);
  if (own === undefined || best === undefined) return { regret: null, regretIsSteady: false };
  const spread = ({ spread: of }: MeasuredSize): number => (kind === 'command' ? of.pace : of.mean);
  return {
    regret: felt(kind, own) / felt(kind, best) - 1,
    // One run agrees with nothing.
    regretIsSteady: [own, best].every((one) => one.runs > 1 && spread(one) <= STEADY),
  };
}

/** By its own table, the recommended size is not better than the default. */
function promisesNothing(kind: Kind, { sizes, recommended }: Forecast): boolean {
  const at = (size: number): PredictedSize | undefined =>
    sizes.findLast((one) => one.size <= size) ?? sizes[0];
  const [own, chosen] = [at(BASELINE), at(recommended.size)];
  if (own === undefined || chosen === undefined) return false;
  if (own.isOverloaded !== chosen.isOverloaded) return false;
  const value = (one: PredictedSize): number => (kind === 'command' ? one.pace.value : one.mean.value);
  return value(chosen) >= value(own) * (1 - GAIN);
}
