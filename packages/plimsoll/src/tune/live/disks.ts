import { execFile } from 'node:child_process';
import { machineNoise, readMachineCounters } from '../../host/noise.js';

/** A share of the time in which something waited for a disk, above which the next window would feel it. */
const BUSY_SHARE = 0.05;
const SYNC_MS = 5_000;

/**
 * What a size leaves on the disks for the next one: a program that writes through (fsync) disturbs the window after its own.
 * Where that happens, blocks begin with synced disks, and windows settle for longer.
 */
export class Disks {
  #before = readMachineCounters();

  /** Call it between two blocks. @returns whether the last one kept the disks busy. */
  async calm(): Promise<boolean> {
    const { psiIoShare } = machineNoise(this.#before, readMachineCounters(), 0);
    const isBusy = (psiIoShare ?? 0) > BUSY_SHARE;
    if (isBusy) await sync();
    this.#before = readMachineCounters();
    return isBusy;
  }
}

/** Node has no call for it; where there is no such program, or it takes too long, blocks go on without. */
const sync = (): Promise<void> =>
  new Promise((resolve) => {
    execFile('sync', { timeout: SYNC_MS }, () => resolve());
  });
