import { ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { RescueStatus } from './rescuer.js';

/** Writes a rescue's status for `plimsoll top` into a deleted file, which disappears with the process. */
export function openStatus(tmp: string): (status: RescueStatus) => void {
  let file: number | undefined;
  try {
    const folder = mkdtempSync(join(tmp, 'plimsoll-rescue-'));
    file = openSync(join(folder, 'status'), 'w+', 0o600);
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // The rescue works without its status, too.
  }
  return (status) => {
    if (file === undefined) return;
    const text = JSON.stringify(status);
    ftruncateSync(file, writeSync(file, text, 0));
  };
}
