import { execFile } from 'node:child_process';
import { parsePressure } from '../../host/noise.js';
import { readText } from '../../host/read.js';

/** A share of the time in which something waited for a disk, above which the next window would feel it. */
const BUSY_SHARE = 0.05;
const SYNC_MS = 5_000;

/**
 * What a size leaves on the disks for the next one: a program that writes through (fsync) disturbs the window after its own.
 * Where that happens, blocks begin with synced disks, and windows settle for longer.
 */
export class Disks {
  #waitedUs = waitedUs();
  #at = performance.now();
  #isBusy = false;

  /** The last block kept the disks busy. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Call it between two blocks. */
  async calm(): Promise<void> {
    const waited = waitedUs();
    const share = (waited - this.#waitedUs) / 1000 / (performance.now() - this.#at);
    this.#isBusy = share > BUSY_SHARE;
    if (this.#isBusy) await sync();
    this.#waitedUs = waitedUs();
    this.#at = performance.now();
  }
}

const waitedUs = (): number => parsePressure(readText('/', '/proc/pressure/io') ?? '', 'some') ?? 0;

/** Node has no call for it; where there is no such program, or it takes too long, blocks go on without. */
const sync = (): Promise<void> =>
  new Promise((resolve) => {
    execFile('sync', { timeout: SYNC_MS }, () => resolve());
  });
