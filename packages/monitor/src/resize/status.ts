import { ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { RescueStatus } from './rescuer.js';

/** Writes what a rescue does for `plimsoll top`, into an open file without a name: it is gone with the process, however that ends. */
export function openStatus(tmp: string): (status: RescueStatus) => void {
  let file: number | undefined;
  try {
    const folder = mkdtempSync(join(tmp, 'plimsoll-rescue-'));
    file = openSync(join(folder, 'status'), 'w+', 0o600);
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // A rescue is worth having where nothing may be written.
  }
  return (status) => {
    if (file === undefined) return;
    const text = JSON.stringify(status);
    ftruncateSync(file, writeSync(file, text, 0));
  };
}
