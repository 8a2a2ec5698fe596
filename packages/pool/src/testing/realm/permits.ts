import * as table from '../../shared/table.js';

export * from '../../shared/table.js';

/** The workers that may claim a task now, and who hears of it. */
const permits = new Map<number, (slot: number) => void>();

/** Lets a worker claim one task while `drive` runs. */
export function withPermit(worker: number, onClaim: (slot: number) => void, drive: () => void): void {
  permits.set(worker, onClaim);
  try {
    drive();
  } finally {
    permits.delete(worker);
  }
}

/** As the real one, for a worker that may claim. */
export const claim: typeof table.claim = (from, worker, accepts, mayPass) => {
  const onClaim = permits.get(worker);
  if (onClaim === undefined) return -1;
  const slot = table.claim(from, worker, accepts, mayPass);
  if (slot === -1) return -1;
  permits.delete(worker);
  onClaim(slot);
  return slot;
};

/** A worker without a permit may sleep. */
export const anythingQueued: typeof table.anythingQueued = () => false;
