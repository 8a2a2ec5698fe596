const STEPS = [1, 2, 5, 10];
const MOST_TICKS = 6;
/** In percent of the width: from here on a label stands to the left of its line, where there is room for it. */
const NEAR_THE_END = 88;

export interface Tick {
  /** Where its line stands, in percent of the width. */
  readonly x: string;
  readonly label: string;
  /** How its label stands beside the line: attributes of a `<text>`. */
  readonly anchor: 'start' | 'end';
  readonly dx: number;
}

/** A tick every 1, 2 or 5 × 10^n ms between two times, six or seven at most. */
export function ticksOf(fromMs: number, toMs: number): Tick[] {
  const least = (toMs - fromMs) / MOST_TICKS;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = (STEPS.find((factor) => factor * power >= least) ?? 10) * power;
  const first = Math.ceil(fromMs / step - 1e-9);
  const last = Math.floor(toMs / step + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => {
    const ms = rounded((first + index) * step);
    const percent = ((ms - fromMs) / (toMs - fromMs)) * 100;
    const isNearTheEnd = percent > NEAR_THE_END;
    return {
      x: `${Number(percent.toFixed(3))}%`,
      label: toMs >= 10_000 ? `${rounded(ms / 1000)} s` : `${ms} ms`,
      anchor: isNearTheEnd ? 'end' : 'start',
      dx: isNearTheEnd ? -3 : 3,
    };
  });
}

/** Without what the multiplication added in the last digits. */
const rounded = (value: number): number => Number(value.toPrecision(12));
