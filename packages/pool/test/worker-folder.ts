import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { Pool, type PoolOptions } from '@plimsoll/pool';

/** Writes worker files, by their relative paths, into a folder that is gone after the test. Returns its path. */
export function folderOf(t: TestContext, files: Record<string, string>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'plimsoll-pool-loading-')));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** A pool of one worker that stays, without a file of its own. */
export function bare(t: TestContext, options: PoolOptions = {}): Pool {
  const pool = new Pool({ minThreads: 1, maxThreads: 1, ...options });
  t.after(() => pool.destroy());
  return pool;
}

/** How often a file has run in its worker: what the functions below count. */
const COUNT = 'globalThis.runs = (globalThis.runs ?? 0) + 1;\n';

/** A CommonJS file and an ES module whose function adds one, and says how often its file has run. */
export const commonJs = `${COUNT}module.exports = (n) => [n + 1, globalThis.runs];\n`;
export const esModule = `${COUNT}export default (n) => [n + 1, globalThis.runs];\n`;
export const typed = `${COUNT}export default (n: number): [number, number] => [n + 1, globalThis.runs];\n`;
export const typedCommonJs = `${COUNT}module.exports = (n: number): [number, number] => [n + 1, globalThis.runs];\n`;
export const throws = `${COUNT}throw new RangeError('thrown in run ' + globalThis.runs);\n`;
/** In the same worker: how often files have run. */
export const counter = 'module.exports = () => globalThis.runs ?? 0;\n';
