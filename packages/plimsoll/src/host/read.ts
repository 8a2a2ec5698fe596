/**
 * The only way in which this floor touches files: synchronous, and `null` for everything unreadable.
 *
 * Asynchronous fs runs on libuv's pool, the very thing that is measured; a synchronous call runs on the calling
 * thread and leaves the pool alone.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The text of a file under `root`, or `null` when it cannot be read for whatever reason.
 *
 * @param root directory that plays the part of `/`; tests give a fake tree
 * @example
 * readText('/', '/proc/self/comm'); // 'node\n'
 */
export function readText(root: string, path: string): string | null {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch {
    return null;
  }
}

/** The first line of a file without surrounding space; `null` when unreadable or empty. */
export function readLine(root: string, path: string): string | null {
  const line = readText(root, path)?.split('\n', 1)[0]?.trim();
  return line === undefined || line === '' ? null : line;
}

/** Where a symbolic link points; `null` when it cannot be read. */
export function readLink(root: string, path: string): string | null {
  try {
    return readlinkSync(join(root, path));
  } catch {
    return null;
  }
}

/** A file that holds one whole number, as most of /sys does; `null` for anything else ("max" included). */
export function readWhole(root: string, path: string): number | null {
  return parseWhole(readLine(root, path));
}

/** The names in a directory, sorted; `null` when it cannot be listed. */
export function listNames(root: string, path: string): string[] | null {
  try {
    return readdirSync(join(root, path)).sort();
  } catch {
    return null;
  }
}

/**
 * A whole number >= 0 written in decimal digits; `null` for anything else.
 *
 * Values past 2^53 lose their last digits: the only such numbers that the kernel prints here mean "no limit".
 *
 * @example
 * parseWhole(' 42\n'); // 42
 * parseWhole('-1');    // null
 */
export function parseWhole(text: string | null | undefined): number | null {
  const digits = text?.trim();
  return digits !== undefined && /^\d{1,20}$/.test(digits) ? Number(digits) : null;
}

/** The least of the known values; `null` when none is known. */
export function leastKnown(values: Iterable<number | null>): number | null {
  let least: number | null = null;
  for (const value of values) {
    if (value !== null && (least === null || value < least)) least = value;
  }
  return least;
}
