import { relative } from 'node:path';
import { root } from './run.mjs';

/**
 * A reporter for node:test, beside the one that people read: a line of JSON for each file's outermost tests with their time, and
 * for each test that was skipped.
 *
 * @param {AsyncIterable<import('node:test/reporters').TestEvent>} events
 */
export default async function* reporter(events) {
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const { name, file, nesting, skip, details } = data;
    if (skip === undefined && nesting > 0) continue;
    const seconds = nesting === 0 ? details.duration_ms / 1000 : 0;
    const entry = { name, file: file === undefined ? '' : relative(root, file), seconds, skip };
    yield `${JSON.stringify(entry)}\n`;
  }
}
