import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** Where a process keeps the engine, so that each call finds the same one. */
const KEPT = "globalThis[Symbol.for('plimsoll.resize')]";

/**
 * An expression that is `@plimsoll/monitor/resize` in the process that evaluates it, which needs neither the package nor the right to
 * read our files.
 */
export function resizeEngine(): string {
  const text = readFileSync(createRequire(import.meta.url).resolve('@plimsoll/monitor/resize'), 'utf8');
  return `(${KEPT} ??= (() => { const module = { exports: {} }; let exports = module.exports; ${text}
return module.exports; })())`;
}
