import { sum } from '../collections/sum.js';
import type { Part, Stretch } from './document.js';

export const GLYPHS: Record<Part, { sign: string; color: 'cyan' | 'yellow' | 'green' | 'red' }> = {
  pool: { sign: '█', color: 'cyan' },
  inferred: { sign: '▒', color: 'cyan' },
  queue: { sign: '░', color: 'red' },
  'queue-inferred': { sign: '┄', color: 'red' },
  loop: { sign: '·', color: 'yellow' },
  main: { sign: '▓', color: 'yellow' },
  outside: { sign: '─', color: 'green' },
};

/** One request as cells on a time axis: each cell shows what most of its time was, `null` where there was nothing. */
export function bar(stretches: readonly Stretch[], toMs: number, cells: number): (Part | null)[] {
  const cellMs = toMs / cells;
  const drawn = Array.from({ length: cells }, (_, cell) =>
    mostOf(stretches, cell * cellMs, (cell + 1) * cellMs),
  );
  if (drawn.some((part) => part !== null)) return drawn;
  // Too short for its cell; but nothing that happened is left out.
  const [longest] = stretches.toSorted((a, b) => b.toMs - b.fromMs - (a.toMs - a.fromMs));
  if (longest !== undefined) drawn[Math.min(cells - 1, Math.floor(longest.fromMs / cellMs))] = longest.part;
  return drawn;
}

/** A cell with less in it stays empty. */
const LEAST_SHARE = 0.3;

function mostOf(stretches: readonly Stretch[], fromMs: number, toMs: number): Part | null {
  const times = new Map<Part, number>();
  for (const stretch of stretches) {
    const overlap = Math.min(toMs, stretch.toMs) - Math.max(fromMs, stretch.fromMs);
    if (overlap > 0) times.set(stretch.part, (times.get(stretch.part) ?? 0) + overlap);
  }
  if (sum([...times.values()]) < LEAST_SHARE * (toMs - fromMs)) return null;
  return [...times].reduce((most, next) => (next[1] > most[1] ? next : most))[0];
}

/** Round values between two, every 1, 2 or 5 × 10^n, at least so far apart. */
export function ticks(from: number, to: number, least: number): number[] {
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= least) ?? 10);
  const first = Math.ceil(from / step - 1e-9);
  const count = Math.max(0, Math.floor(to / step + 1e-9) - first + 1);
  return Array.from({ length: count }, (_, index) => Number(((first + index) * step).toPrecision(6)));
}

const LEAST_CELLS_PER_TICK = 10;

export function timeAxis(toMs: number, cells: number): string {
  const line = Array.from({ length: cells + LEAST_CELLS_PER_TICK }, () => ' ');
  for (const ms of ticks(0, toMs, (toMs / cells) * LEAST_CELLS_PER_TICK)) {
    const label = `╵${ms}${ms === 0 ? ' ms' : ''}`;
    line.splice(Math.round((ms / toMs) * cells), label.length, ...label);
  }
  return line.join('').trimEnd();
}
