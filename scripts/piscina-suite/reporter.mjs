/** A reporter for node:test: one line of JSON for each test that ended. */
export default async function* reporter(events) {
  for await (const { type, data } of events) {
    if ((type !== 'test:pass' && type !== 'test:fail') || data.details?.type === 'suite') continue;
    const { name, skip, details } = data;
    const outcome = type === 'test:fail' ? 'failed' : skip === undefined ? 'passed' : 'skipped';
    yield `${JSON.stringify({ name, outcome, reason: details?.error?.cause?.message ?? details?.error?.message })}\n`;
  }
}
