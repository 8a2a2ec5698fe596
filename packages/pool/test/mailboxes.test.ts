import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layoutOf } from '../dist/shared/layout.js';
import {
  announce,
  anythingQueued,
  claim,
  publish,
  publishTo,
  retract,
  sweep,
  type Table,
} from '../dist/shared/table.js';

function tableFor(): Table {
  const layout = layoutOf({ slots: 4, workers: 2, slotWords: 16, mailbox: 4, spinners: 0 });
  return { layout, words: new Int32Array(layout.words) };
}

test('a stale entry of one mailbox claims nothing from another ring, though the positions are equal', () => {
  const table = tableFor();
  assert.equal(publishTo(table, 0, 2), true);
  assert.equal(retract(table, 2), true);
  assert.equal(publishTo(table, 1, 2), true);
  assert.equal(claim(table, 0), -1, 'claimed from the mailbox of another worker');
  assert.equal(claim(table, 1), 2);
  publishTo(table, 0, 3);
  retract(table, 3);
  publish(table, 3);
  announce(table);
  assert.deepEqual(sweep(table, 0).mail, [], 'took a slot of the shared queue for its mail');
  assert.equal(claim(table, 1), 3);
});

test('a worker takes its mail and what is for all by turns, when the mail may be passed', () => {
  const table = tableFor();
  for (const slot of [0, 1]) publishTo(table, 0, slot);
  for (const slot of [2, 3]) publish(table, slot);
  announce(table);
  const mayPass = (): boolean => true;
  assert.equal(
    claim(table, 0, undefined, () => false),
    0,
    'passed what may not be passed',
  );
  assert.equal(claim(table, 0, undefined, mayPass), 2);
  const refuse = (slot: number): boolean => slot !== 1;
  assert.equal(
    claim(table, 0, refuse, mayPass),
    -1,
    'passed what is refused, which might never be accepted then',
  );
  assert.equal(claim(table, 0), 1);
  assert.equal(claim(table, 0, undefined, mayPass), 3);
  assert.equal(claim(table, 0, undefined, mayPass), -1);
});

test('a refused entry of the mailbox stays first, and lets nothing of the shared queue overtake it', () => {
  const table = tableFor();
  publishTo(table, 0, 1);
  publish(table, 2);
  announce(table);
  const refuse = (slot: number): boolean => slot !== 1;
  assert.equal(claim(table, 0, refuse), -1);
  assert.equal(anythingQueued(table, 0, refuse), false, 'would be looked at for ever');
  assert.equal(anythingQueued(table, 1, refuse), true);
  assert.equal(claim(table, 0), 1);
  assert.equal(claim(table, 0, refuse), 2);
  publishTo(table, 0, 1);
  retract(table, 1);
  assert.equal(claim(table, 0, refuse), -1);
  assert.equal(anythingQueued(table, 0), false, 'a stale entry was not passed');
});
