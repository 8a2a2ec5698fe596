import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  answered,
  askHost,
  awaitAnswer,
  hear,
  heard,
  isAnswered,
  isWaiting,
  mayAnswer,
} from '../dist/shared/host-call.js';
import type { SharedTable } from '../dist/shared/memory.js';
import { CALL, drainOne } from '../dist/shared/table.js';
import { bareStartup } from './support.js';

const WORKER = 0;

/** The entries of the worker's ring. */
function entriesIn(table: SharedTable): number[] {
  const entries: number[] = [];
  for (let entry = drainOne(table, WORKER); entry !== -1; entry = drainOne(table, WORKER))
    entries.push(entry);
  return entries;
}

test('a call is heard once, and answered once', () => {
  const { table } = bareStartup();
  for (let number = 1; number < 5; number++) {
    askHost(table, WORKER, 7, number);
    assert.deepEqual(entriesIn(table), [CALL]);
    assert.deepEqual(hear(table, WORKER), { slot: 7, number });
    assert.equal(hear(table, WORKER), undefined);
    heard(table, WORKER, number);
    assert.ok(isWaiting(table, WORKER, number) && !isWaiting(table, WORKER, number - 1));
    assert.ok(!mayAnswer(table, WORKER, number - 1) && mayAnswer(table, WORKER, number));
    assert.ok(!mayAnswer(table, WORKER, number) && !isAnswered(table, WORKER, number));
    answered(table, WORKER, number);
    assert.equal(awaitAnswer(table, WORKER, number, 0), 'answered');
  }
});

test('an abandoned call leaves one entry, for whichever call is there when it is read', () => {
  const { table } = bareStartup();
  for (let number = 1; number < 100; number++) {
    askHost(table, WORKER, number, number);
    assert.equal(awaitAnswer(table, WORKER, number, 0), 'unread');
  }
  askHost(table, WORKER, 3, 100);
  assert.deepEqual(entriesIn(table), [CALL], 'the ring does not fill up');
  assert.deepEqual(hear(table, WORKER), { slot: 3, number: 100 });
  heard(table, WORKER, 100);
  assert.equal(awaitAnswer(table, WORKER, 100, 0), 'taken');
  assert.equal(mayAnswer(table, WORKER, 100), false);
  askHost(table, WORKER, 4, 101);
  assert.equal(mayAnswer(table, WORKER, 100), false, 'the answer of the last call is not that of this one');
  assert.deepEqual(entriesIn(table), [CALL]);
  assert.equal(awaitAnswer(table, WORKER, 101, 0), 'unread');
  assert.equal(hear(table, WORKER), undefined, 'nobody waits');
  askHost(table, WORKER, 5, 102);
  assert.deepEqual(entriesIn(table), [CALL], 'the entry of the one before has been read');
});
