import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type Classification, type Classified, captureEnvironment } from '@plimsoll/lab';
import { timelineSchema } from '@plimsoll/lab/schemas';
import { classificationPage } from '#studies/classify/page.js';
import { timelinePage } from '#studies/timeline/page.js';
import { published, ROOT, study } from './support.js';

const scratch = (name: string, file: string): string =>
  readFileSync(join(ROOT, `.cache/study-${name}`, file), 'utf8');

describe('studies of the command line', () => {
  test('timeline: a quick run draws every picture', async () => {
    const { code, stderr } = await study('timeline', '--quick');
    assert.equal(code, 0, stderr);
    const page = scratch('timeline', 'timeline.md');
    assert.equal(page.match(/^## \d\.\d /gm)?.length, 8);
    assert.doesNotMatch(page, /undefined|NaN|\[object/);
  });

  test('timeline: the published page is what the published result says', () => {
    const results = timelineSchema.array().parse(JSON.parse(published('timeline.json')));
    assert.equal(timelinePage(results), published('timeline.md'));
    assert.throws(() => timelinePage(results.slice(1)), RangeError);
  });

  test('classify: a quick run writes the page', async () => {
    const { code, stderr } = await study('classify', '--quick');
    assert.equal(code, 0, stderr);
    const page = scratch('classify', 'classification.md');
    assert.match(page, /^- fs: `stat`$/m);
    assert.match(page, /^\| `dns\.lookup[^`]*` +\| pool ½ \| /m);
    assert.match(page, /^- network: .*`net\.connect\.ip`/m);
    assert.doesNotMatch(page, /undefined|\[object|Not in every version/);
  });
});

const environment = captureEnvironment({ directory: ROOT });

const of = (version: string, results: Classified[]): Classification => ({
  schema: 'plimsoll/1',
  kind: 'classification',
  environment: { ...environment, node: { ...environment.node, version } },
  size: 4,
  startedAt: '2026-01-01T00:00:00.000Z',
  seconds: 1,
  interrupted: false,
  results,
});

const classified = (name: string, verdict: Classified['verdict']): Classified => ({
  name,
  call: name,
  verdict,
  slowIo: null,
  mainThreadMs: null,
  waitsFor: [verdict],
  explanation: '',
  grounds: { id: 'classify.failed', text: '', evidence: {} },
  alternative: null,
});

describe('the page of the classification', () => {
  test('marks where versions differ and what some do not have', () => {
    assert.throws(() => classificationPage([]), RangeError);
    const page = classificationPage([
      of('20.0.0', [classified('fs.stat', 'pool')]),
      of('22.0.0', [classified('fs.stat', 'kernel'), classified('fs.glob', 'pool')]),
    ]);
    assert.match(page, /^\| `fs\.stat` \| \*\*pool\*\* \| \*\*kernel\*\* \| .*≠ \|$/m);
    assert.match(page, /^Not in every version: `fs\.glob` \(22\.0\.0\)\.$/m);
  });
});
