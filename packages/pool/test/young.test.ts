import assert from 'node:assert/strict';
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { copyOf } from '../dist/shared/codec/tags.js';
import { madeBuffer, young as state } from '../dist/shared/codec/young.js';

const MEGABYTE = new Uint8Array(2 ** 20);
const COPIES = 640;

/** Collections of the young generation while buffers are made and dropped. */
async function youngCollections(make: () => void): Promise<number> {
  let young = 0;
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { detail: { kind: number } })[])
      if (entry.detail.kind === constants.NODE_PERFORMANCE_GC_MINOR) young++;
  });
  observer.observe({ entryTypes: ['gc'] });
  for (let copy = 0; copy < COPIES; copy++) {
    make();
    if (copy % 8 === 0) await setImmediate();
  }
  await setImmediate();
  observer.disconnect();
  return young;
}

const FILLED_ON_HOSTS = Number.parseInt(process.versions.v8, 10) < 13;

test('hosts fill the young generation in old versions of V8 alone', async () => {
  const young = await youngCollections(() => madeBuffer(MEGABYTE.length));
  assert.equal(young > COPIES / 32, FILLED_ON_HOSTS, `${young} collections of the young generation`);
});

test('the young generation of a worker is collected once for 16 MB of buffers, rather than the whole heap now and then', async () => {
  state.isFilled = true;
  const young = await youngCollections(() => {
    madeBuffer(MEGABYTE.length);
    copyOf(MEGABYTE);
  });
  assert.ok(young > COPIES / 32, `${young} collections of the young generation`);
});

test('buffers that are larger than all of the young generation fill it once at most', async () => {
  const young = await youngCollections(() => madeBuffer(2 ** 30));
  assert.ok(young <= 2 * COPIES, `${young} collections of the young generation`);
});
