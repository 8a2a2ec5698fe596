import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WatchNews } from '../dist/shared/messages.js';
import { Watch } from '../dist/worker/watch.js';

/** A wait of more than 50, for 1000. */
function fixture(): { watch: Watch; news: WatchNews[] } {
  const news: WatchNews[] = [];
  return { news, watch: new Watch({ id: 3, wait: 50, period: 1000 }, (one) => news.push(one)) };
}

test('it is saturated when every canary of the period waited too long', () => {
  const { watch, news } = fixture();
  for (let sentAt = 100; sentAt < 1040; sentAt += 20) watch.returned(sentAt, 60, sentAt + 60);
  assert.deepEqual(news, []);
  watch.returned(1040, 60, 1100);
  assert.deepEqual(news, [{ id: 3, saturated: true, wait: 60 }]);
  watch.returned(1060, 80, 1140);
  assert.equal(news.length, 1, 'said once');
});

test('one canary that got a thread soon begins the period anew', () => {
  const { watch, news } = fixture();
  for (let sentAt = 100; sentAt <= 2000; sentAt += 100)
    watch.returned(sentAt, sentAt === 1000 ? 50 : 60, sentAt + 60);
  assert.deepEqual(news, []);
});

test('it is over with the first canary that gets a thread soon', () => {
  const { watch, news } = fixture();
  watch.returned(100, 2000, 2100);
  watch.returned(2100, 10, 2110);
  assert.deepEqual(
    news.map(({ saturated }) => saturated),
    [true, false],
  );
  watch.returned(2200, 10, 2210);
  assert.equal(news.length, 2);
});

test('a pool that returns nothing is seen by the canary that is out', () => {
  const { watch, news } = fixture();
  watch.isOut(100, 140);
  watch.isOut(100, 1000);
  assert.deepEqual(news, []);
  watch.isOut(100, 1200);
  assert.deepEqual(news, [{ id: 3, saturated: true, wait: 1100 }]);
});

test('a canary that was sent before a fine one says nothing any more', () => {
  const { watch, news } = fixture();
  watch.returned(1000, 10, 1010);
  watch.returned(100, 2000, 2100);
  assert.deepEqual(news, []);
  watch.returned(1010, 1200, 2210);
  assert.deepEqual(
    news.map(({ saturated }) => saturated),
    [true],
  );
  watch.returned(1005, 10, 2211);
  assert.equal(news.length, 1, 'fine, but sent before the slow one');
});
