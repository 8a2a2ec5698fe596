import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  cancelSleep,
  declareSleep,
  gateAt,
  returnSpinPermit,
  takeSpinPermit,
  type Wakeable,
  wakeFor,
} from '../dist/shared/gate.js';
import { layoutOf, MAIL_HEAD, MAIL_TAIL, QUEUE_NEXT } from '../dist/shared/layout.js';
import { blockAt } from '../dist/shared/table.js';

const layout = layoutOf({ slots: 4, workers: 3, slotWords: 32, mailbox: 4, spinners: 1 });
const table = { layout, words: new Int32Array(layout.words) };

/** Which of three workers, who sleep unless they are coming, are woken for so many queued tasks. */
function woken(queued: number, coming: readonly number[]): number[] {
  const all: number[] = [];
  for (const index of [0, 1, 2]) declareSleep(table.words, gateAt(table, index));
  const workers = [0, 1, 2].map(
    (index): Wakeable => ({
      index,
      isComing: coming.includes(index),
      wake() {
        if (coming.includes(index)) return false;
        all.push(index);
        return true;
      },
    }),
  );
  wakeFor(table, queued, workers);
  return all;
}

describe('how many workers are woken', () => {
  test('one for each task that is queued', () => {
    assert.equal(woken(1, []).length, 1);
    assert.equal(woken(2, []).length, 2);
    assert.equal(woken(9, []).length, 3);
  });

  test('none for whom one is coming already', () => {
    assert.deepEqual(woken(1, [0]), []);
    assert.deepEqual(woken(1, [2]), []);
    assert.equal(woken(2, [2]).length, 1);
    assert.deepEqual(woken(2, [0, 1]), []);
  });

  test('none for whom one is spinning, which itself is not woken', () => {
    const permit = takeSpinPermit(table, 2);
    assert.deepEqual(woken(1, []), []);
    assert.equal(woken(2, []).length, 1);
    assert.deepEqual(woken(3, []).toSorted(), [0, 2]);
    assert.deepEqual(woken(2, [0]), []);
    returnSpinPermit(table, permit);
  });

  test('another one for whom has mail, whether that one spins or sleeps', () => {
    const block = blockAt(table.layout, 2);
    Atomics.store(table.words, block + MAIL_TAIL, 1);
    assert.deepEqual(woken(1, []).toSorted(), [1, 2]);
    const permit = takeSpinPermit(table, 3);
    assert.deepEqual(woken(1, []).toSorted(), [1, 2]);
    Atomics.store(table.words, block + MAIL_HEAD, 1);
    assert.deepEqual(woken(1, []), []);
    returnSpinPermit(table, permit);
  });

  test('none for a single task that an awake worker claims while the host looks', () => {
    const wakes = (looks: number): number => {
      let count = 0;
      const workers = [0, 1].map((index) => ({ index, isComing: false, wake: () => ++count > 0 }));
      wakeFor(table, 1, workers, false, looks);
      return count;
    };
    for (const index of [0, 1]) declareSleep(table.words, gateAt(table, index));
    assert.equal(wakes(1), 1, 'all workers sleep');
    cancelSleep(table.words, gateAt(table, 0));
    assert.equal(wakes(1), 0, 'the queue is empty');
    assert.equal(wakes(0), 1, 'the host does not look');
    table.words[QUEUE_NEXT] = 1;
    assert.equal(wakes(32), 1, 'the task stays in the queue');
    table.words[QUEUE_NEXT] = 0;
  });
});
