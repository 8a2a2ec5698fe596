/**
 * The only way in which this floor touches files: synchronous, and `null` for everything unreadable. Asynchronous fs
 * runs on libuv's pool, the very thing that is measured.
 *
 * `root` plays the part of `/`: tests give a fake tree.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

function orNull<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch {
    return null;
  }
}

export const readText = (root: string, path: string): string | null =>
  orNull(() => readFileSync(join(root, path), 'utf8'));

export const readLink = (root: string, path: string): string | null =>
  orNull(() => readlinkSync(join(root, path)));

export const listNames = (root: string, path: string): string[] | null =>
  orNull(() => readdirSync(join(root, path)).sort());

/** The first line of a file without surrounding space; `null` for an empty one, too. */
export const readLine = (root: string, path: string): string | null =>
  readText(root, path)?.split('\n', 1)[0]?.trim() || null;

/** A file that holds one whole number, as most of /sys does; `null` for anything else ("max" included). */
export const readWhole = (root: string, path: string): number | null => parseWhole(readLine(root, path));

/** The names in a directory that are numbers, in their order: processes in /proc, threads in /proc/PID/task. */
export const listNumbers = (root: string, path: string): number[] | null =>
  listNames(root, path)
    ?.flatMap((name) => parseWhole(name) ?? [])
    .sort((a, b) => a - b) ?? null;

/** The fields of a `stat`, each at its number in proc_pid_stat(5). Field 2 is a name in brackets, which may hold brackets, too. */
export function statFields(stat: string | null): readonly string[] {
  const [, name, rest] = /^.*?\((.*)\)\s*(.*?)\s*$/s.exec(stat ?? '') ?? [];
  return name === undefined || rest === undefined ? [] : ['', '', name, ...rest.split(/\s+/)];
}

/** A whole number >= 0 in decimal digits; `null` for anything else. Past 2^53 the kernel prints only what means "no limit". */
export function parseWhole(text: string | null | undefined): number | null {
  const digits = text?.trim();
  return digits !== undefined && /^\d{1,20}$/.test(digits) ? Number(digits) : null;
}

export function leastKnown(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.min(...known);
}
