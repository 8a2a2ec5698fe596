/** `null` for what is unreadable. Synchronous: asynchronous fs runs on libuv's pool, which is measured. Tests fake `root`. */
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

/** The first line of a file without surrounding space; `null` for an empty one. */
export const readLine = (root: string, path: string): string | null =>
  readText(root, path)?.split('\n', 1)[0]?.trim() || null;

export const readWhole = (root: string, path: string): number | null => parseWhole(readLine(root, path));

/** The numeric names in a directory, in order: processes in /proc, threads in /proc/PID/task. */
export const listNumbers = (root: string, path: string): number[] | null =>
  listNames(root, path)
    ?.flatMap((name) => parseWhole(name) ?? [])
    .sort((a, b) => a - b) ?? null;

/** The fields of a `stat`, each at its number in proc_pid_stat(5). Field 2 is a name in brackets, which may contain brackets. */
export function statFields(stat: string | null): readonly string[] {
  const [, name, fields] = /^.*?\((.*)\)\s*(.*?)\s*$/s.exec(stat ?? '') ?? [];
  return name === undefined || fields === undefined ? [] : ['', '', name, ...fields.split(/\s+/)];
}

/** A whole number >= 0 in decimal digits; `null` for anything else. */
export function parseWhole(text: string | null | undefined): number | null {
  const digits = text?.trim();
  return digits !== undefined && /^\d{1,20}$/.test(digits) ? Number(digits) : null;
}

export function leastKnown(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.min(...known);
}
