import type { Span } from '../results/timeline.js';

/** What a stretch of a request's time was. */
export type Part = 'pool' | 'inferred' | 'queue' | 'queue-inferred' | 'loop' | 'main' | 'outside';

interface Stretch {
  readonly part: Part;
  readonly from: number;
  readonly to: number;
}

/** The stretches of a span, in the order of time. */
function stretches(span: Span): Stretch[] {
  const { where, inferred, submitMs, startMs, endMs, callbackMs } = span;
  if (where === 'kernel') return [{ part: 'outside', from: startMs, to: endMs }];
  return [
    { part: inferred ? 'queue-inferred' : 'queue', from: submitMs, to: startMs },
    { part: where === 'main' ? 'main' : inferred ? 'inferred' : 'pool', from: startMs, to: endMs },
    { part: 'loop', from: endMs, to: callbackMs },
  ];
}

/**
 * One request as cells on a time axis: each cell shows what most of its time was, `null` where there was nothing.
 *
 * @param toMs time at the right end of the axis.
 */
export function bar(spans: readonly Span[], toMs: number, cells: number): (Part | null)[] {
  const parts = spans.flatMap(stretches);
  const cellMs = toMs / cells;
  const drawn = Array.from({ length: cells }, (_, cell) => mostOf(parts, cell * cellMs, (cell + 1) * cellMs));
  if (drawn.some((part) => part !== null)) return drawn;
  // Too short for its cell; but nothing that happened is left out.
  const [longest] = parts.toSorted((a, b) => b.to - b.from - (a.to - a.from));
  if (longest !== undefined) drawn[Math.min(cells - 1, Math.floor(longest.from / cellMs))] = longest.part;
  return drawn;
}

/** A cell with less in it stays empty. */
const LEAST_SHARE = 0.3;

function mostOf(parts: readonly Stretch[], from: number, to: number): Part | null {
  const times = new Map<Part, number>();
  for (const stretch of parts) {
    const overlap = Math.min(to, stretch.to) - Math.max(from, stretch.from);
    if (overlap > 0) times.set(stretch.part, (times.get(stretch.part) ?? 0) + overlap);
  }
  const total = [...times.values()].reduce((sum, time) => sum + time, 0);
  if (total < LEAST_SHARE * (to - from)) return null;
  return [...times].reduce((most, next) => (next[1] > most[1] ? next : most))[0];
}

const STEPS = [1, 2, 5];
const LEAST_CELLS_PER_TICK = 10;

/** An axis of times under bars: a tick every 1, 2 or 5 × 10^n ms. */
export function axis(toMs: number, cells: number): string {
  const least = (toMs / cells) * LEAST_CELLS_PER_TICK;
  const power = 10 ** Math.floor(Math.log10(least));
  const step =
    [...STEPS, 10].map((factor) => factor * power).find((candidate) => candidate >= least) ?? least;
  const line = Array.from({ length: cells + LEAST_CELLS_PER_TICK }, () => ' ');
  for (let ms = 0; ms <= toMs; ms += step) {
    const label = `${Number(ms.toPrecision(6))}${ms === 0 ? ' ms' : ''}`;
    const at = Math.round((ms / toMs) * cells);
    for (const [index, character] of [`╵${label}`].flatMap((text) => [...text]).entries())
      line[at + index] = character;
  }
  return line.join('').trimEnd();
}
