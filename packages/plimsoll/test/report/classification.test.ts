import assert from 'node:assert/strict';
import { test } from 'node:test';
import { captureEnvironment } from '#plimsoll/host/environment.js';
import { reportText } from '#plimsoll/report/documents.js';
import { plainStyle } from '#plimsoll/report/style.js';
import { type Classified, classificationSchema } from '#plimsoll/results/classification.js';

const one = (name: string, given: Partial<Classified>): Classified => ({
  ...{ name, call: `${name}()`, verdict: 'pool', slowIo: false, mainThreadMs: 0.1, waitsFor: ['pool'] },
  ...{ explanation: 'It did not complete.', alternative: null },
  grounds: { id: 'classify.failed', text: 'It did not complete.', evidence: {} },
  ...given,
});

const RESULT = classificationSchema.parse({
  schema: 'plimsoll/1',
  kind: 'classification',
  environment: captureEnvironment({ directory: '.' }),
  ...{ size: 4, seconds: 3, interrupted: false, startedAt: new Date(0).toISOString() },
  results: [
    ...Array.from({ length: 30 }, (_, index) => one(`fs.function${index}`, {})),
    one('dns.lookup.name', { slowIo: true }),
    one('fetch.name', { verdict: 'both', slowIo: true, waitsFor: ['pool', 'socket'] }),
    one('setTimeout', { verdict: 'kernel', slowIo: null, waitsFor: ['timer'] }),
    one('crypto.pbkdf2Sync', { verdict: 'main thread', slowIo: null, mainThreadMs: 12.3, waitsFor: [] }),
    one('./evil\x1b[31m.mjs#x', { verdict: 'failed', explanation: `It failed: ${'long '.repeat(40)}\x07.` }),
  ],
});

for (const width of [80, 140])
  test(`the lists fit into ${width} columns, and obey no control characters`, () => {
    const text = reportText(RESULT, plainStyle(width));
    for (const line of text.split('\n')) assert.ok([...line].length <= width, line);
    assert.doesNotMatch(text.replaceAll('\n', ''), /\p{Cc}/u);
    for (const { name } of RESULT.results)
      assert.ok(
        text.includes(name.includes('evil') ? './evil\\x1b[31m.mjs#x' : (name.split('.').at(-1) as string)),
        name,
      );
    assert.match(text, /socket +fetch\.name ½/);
    assert.match(text, /pbkdf2Sync \(12\.3 ms\)/);
  });
