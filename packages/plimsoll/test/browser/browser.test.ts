import { after, before, describe } from 'node:test';
import type { Result } from '#plimsoll/report/documents.js';
import { made, measured, timelines } from './documents.js';
import { hostileTests, pageTests } from './page-tests.js';
import { findChromium, Session } from './session.js';

const skip = findChromium() === null && 'no Chromium on PATH or in PLIMSOLL_CHROMIUM';

// One file, so that there is one browser for all.
describe('reports in a browser', { skip }, () => {
  const session = new Session();
  before(() => session.start());
  after(() => session.stop());

  describe('results', () => {
    let others: Result[] = [];
    before(async () => {
      others = await made();
    });
    const pages = {
      'kept results': () => measured,
      timelines: () => timelines,
      'every other kind': () => others,
    };
    for (const [name, documents] of Object.entries(pages)) {
      describe(name, () => pageTests(name, documents, session));
      describe(`${name}, hostile`, () => hostileTests(documents, session));
    }
  });
});
