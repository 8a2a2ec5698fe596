import { now } from '../shared/clock.js';
import { returnSpinPermit, takeSpinPermit } from '../shared/gate.js';
import { SpinBudget } from '../shared/spin-budget.js';
import type { Table } from '../shared/table.js';

const pause = (Atomics as { pause?: () => void }).pause;

/**
 * Spin-then-park: a worker looks for something for a while before it sleeps, if a core is spare.
 *
 * @param holder names the holder of the spin permit, see `takeSpinPermit`
 * @param looks how often to look between two readings of the clock: some microseconds
 */
export function spinnerOf(table: Table, holder: number, isThere: () => boolean, looks: number) {
  const budget = new SpinBudget();
  let sleptAt = Number.NEGATIVE_INFINITY;
  const look = (end: number): boolean => {
    do {
      for (let count = 0; count < looks; count++) {
        if (isThere()) return true;
        pause?.();
      }
    } while (now() < end);
    return false;
  };
  return {
    spin(): boolean {
      if (budget.current === 0) return false;
      const permit = takeSpinPermit(table, holder);
      if (permit === -1) return false;
      const isHit = look(now() + budget.current);
      returnSpinPermit(table, permit);
      if (isHit) budget.hit();
      else budget.missed();
      return isHit;
    },
    sleeps(): void {
      sleptAt = now();
    },
    woken(): void {
      budget.slept(now() - sleptAt);
    },
  };
}
