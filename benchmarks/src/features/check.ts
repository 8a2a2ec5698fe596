import type { FeatureId } from './features.js';
import type { Outcome } from './outcome.js';
import type { PoolName } from './pools/pools.js';
import type { FeaturesResult } from './result.js';
import { runProbe } from './run.js';

/** One cell of the table. */
export interface Cell {
  readonly pool: PoolName;
  readonly feature: FeatureId;
}

/** What its probe has answered, or why it has not. */
export interface Checked {
  readonly cell: Cell;
  readonly outcome?: Outcome;
  readonly error?: Error;
}

/** Runs the probes of cells, a few at a time; gives the answers in the order of the cells. */
export async function check(
  cells: readonly Cell[],
  atATime: number,
  signal: AbortSignal,
  onChecked: (checked: Checked) => void = () => {},
): Promise<Checked[]> {
  const checked: Checked[] = new Array(cells.length);
  const next = cells.entries();
  const lane = async (): Promise<void> => {
    for (const [index, cell] of next) {
      if (signal.aborted) return;
      checked[index] = await checkOne(cell, signal);
      if (!signal.aborted) onChecked(checked[index]);
    }
  };
  await Promise.all(Array.from({ length: atATime }, lane));
  return checked;
}

async function checkOne(cell: Cell, signal: AbortSignal): Promise<Checked> {
  try {
    return { cell, outcome: await runProbe(cell.pool, cell.feature, signal) };
  } catch (error) {
    return { cell, error: error as Error };
  }
}

/** What is not as it was written down. */
export const problemsOf = (checked: readonly Checked[], before: FeaturesResult | undefined): string[] =>
  checked.flatMap(({ cell: { pool, feature }, outcome, error }) => {
    if (outcome === undefined) return [`${feature}, ${pool}: ${error?.message}`];
    const was = before?.features.find(({ id }) => id === feature)?.pools[pool]?.answer;
    if (was === outcome.answer) return [];
    const texts = [...outcome.seen, ...outcome.missing].join('; ');
    return [`${feature}, ${pool}: ${outcome.answer}, was ${was ?? 'not checked'} (${texts})`];
  });
