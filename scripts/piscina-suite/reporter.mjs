/**
 * A reporter for node:test: one line of JSON for each test that ended.
 *
 * @param {AsyncIterable<import('node:test/reporters').TestEvent>} events
 */
export default async function* reporter(events) {
  for await (const { type, data } of events) {
    if ((type !== 'test:pass' && type !== 'test:fail') || data.details?.type === 'suite') continue;
    const { name, skip, details } = data;
    const outcome = type === 'test:fail' ? 'failed' : skip === undefined ? 'passed' : 'skipped';
    yield `${JSON.stringify({ name, outcome, reason: reasonOf(details) })}\n`;
  }
}

/** @param {object} details */
function reasonOf(details) {
  const error = 'error' in details && details.error instanceof Error ? details.error : undefined;
  return error?.cause instanceof Error ? error.cause.message : error?.message;
}
