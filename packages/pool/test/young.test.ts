import assert from 'node:assert/strict';
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { copyOf } from '../dist/shared/codec/tags.js';
import { madeBuffer, young as state } from '../dist/shared/codec/young.js';
import { fixture, poolFor } from './support.js';

const MEGABYTE = new Uint8Array(2 ** 20);
const COPIES = 640;

/** Collections of the young generation while buffers are made and dropped. */
async function youngCollections(make: () => unknown): Promise<number> {
  let young = 0;
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { detail: { kind: number } })[])
      if (entry.detail.kind === constants.NODE_PERFORMANCE_GC_MINOR) young++;
  });
  observer.observe({ entryTypes: ['gc'] });
  for (let copy = 0; copy < COPIES; copy++) {
    await make();
    if (copy % 8 === 0) await setImmediate();
  }
  await setImmediate();
  observer.disconnect();
  return young;
}

// First: nothing has been measured yet, so nothing is filled before a look.
test('however many buffers have left, later ones are followed by collections', async () => {
  for (let sent = 0; sent < 10_000; sent++) madeBuffer(-MEGABYTE.length);
  const young = await youngCollections(() => madeBuffer(MEGABYTE.length));
  assert.ok(young > COPIES / 32, `${young} collections of the young generation`);
});

test('hosts fill the young generation after the turn', async () => {
  const young = await youngCollections(() => madeBuffer(MEGABYTE.length));
  assert.ok(young > COPIES / 32, `${young} collections of the young generation`);
});

test('buffers that pass through a worker and the host cause no collections, others do', async (t) => {
  const pool = poolFor(t, { filename: fixture('passing.mjs') });
  const collections = () => pool.run(undefined, { name: 'collections' });
  let bytes = new Uint8Array(2 ** 20);
  const passing = await youngCollections(async () => {
    bytes = (await pool.run(bytes, { name: 'pass', transferList: [bytes.buffer] })) as typeof bytes;
  });
  const passed = (await collections()) as number;
  assert.ok(passing < COPIES / 64 && passed < COPIES / 64, `${passing} on the host, ${passed} in the worker`);
  const made = await youngCollections(() => pool.run(2 ** 20, { name: 'make' }));
  await collections();
  for (let drop = 0; drop < COPIES; drop++) {
    const dropped = new Uint8Array(2 ** 20);
    await pool.run(dropped, { name: 'drop', transferList: [dropped.buffer] });
  }
  const dropped = (await collections()) as number;
  assert.ok(made > COPIES / 64 && dropped > COPIES / 64, `${made} on the host, ${dropped} in the worker`);
});

test('the young generation of a worker is collected once for 16 MB of buffers, rather than the whole heap now and then', async () => {
  state.schedule = (fill) => fill();
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
