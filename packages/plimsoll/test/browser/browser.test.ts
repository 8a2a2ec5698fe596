import { after, before, describe } from 'node:test';
import { hostileTests, hostPages, pageTests } from './page-tests.js';
import { findChromium, Session } from './session.js';
import { tableTests } from './table-tests.js';
import { timelineTests } from './timeline-tests.js';

const skip = findChromium() === null && 'no Chromium on PATH or in PLIMSOLL_CHROMIUM';

// One file, so that there is one browser for all.
describe('reports in a browser', { skip }, () => {
  const session = new Session();
  before(() => session.start());
  after(() => session.stop());

  describe('timelines', () => timelineTests(session));
  describe('tables', () => tableTests(session));
  describe('hostile texts', () => hostileTests(session));
  describe('pages', () => {
    for (const [name, html] of Object.entries(hostPages)) pageTests(name, html, session);
  });
});
