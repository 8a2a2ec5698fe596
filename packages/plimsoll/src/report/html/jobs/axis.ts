const STEPS = [1, 2, 5, 10];
const MOST_TICKS = 5;
/** In percent of the width: so near to an edge a label would stand beyond it. */
const NEAR_AN_EDGE = 4;

export interface Tick {
  /** Where its line stands, in percent of the width. */
  readonly x: string;
  readonly label: string;
  /** The `text-anchor` of its label. */
  readonly anchor: 'start' | 'middle' | 'end';
}

/** A tick every 1, 2 or 5 × 10^n ms between two times, five or six at most; the first label has the unit. */
export function ticksOf(fromMs: number, toMs: number): Tick[] {
  const least = (toMs - fromMs) / MOST_TICKS;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = (STEPS.find((factor) => factor * power >= least) ?? 10) * power;
  const first = Math.ceil(fromMs / step - 1e-9);
  const last = Math.floor(toMs / step + 1e-9);
  const [unit, name] = toMs >= 10_000 ? [1000, ' s'] : [1, ' ms'];
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => {
    const ms = rounded((first + index) * step);
    const percent = ((ms - fromMs) / (toMs - fromMs)) * 100;
    return {
      x: `${Number(percent.toFixed(3))}%`,
      label: `${rounded(ms / unit)}${index === 0 ? name : ''}`,
      anchor: percent < NEAR_AN_EDGE ? 'start' : percent > 100 - NEAR_AN_EDGE ? 'end' : 'middle',
    };
  });
}

/** Without what the multiplication added in the last digits. */
const rounded = (value: number): number => Number(value.toPrecision(12));
