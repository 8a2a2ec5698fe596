import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { MessageChannel } from 'node:worker_threads';

const original = globalThis.structuredClone;
let clones = 0;
let cloned: unknown;
globalThis.structuredClone = (value: unknown) => {
  clones++;
  cloned = value;
  return original(value) as never;
};
const { Encoder } = await import('../dist/shared/codec/encode.js');
const { findCulprit, uncloneable } = await import('../dist/shared/uncloneable.js');
globalThis.structuredClone = original;
const { until } = await import('./support.js');

class Holder {
  readonly held: unknown;
  constructor(held: unknown) {
    this.held = held;
  }
}

const bad = (): void => {};
const around = (value: unknown): unknown[] => [1, 'text', null, { fine: new Date() }, value, 'more'];

test('what cannot be cloned is found wherever it is', () => {
  const revocable = Proxy.revocable({}, {});
  revocable.revoke();
  const detached = new ArrayBuffer(8);
  original(detached, { transfer: [detached] });
  const key = { a: 1 };
  const cases: [value: unknown, path: string, culprit?: unknown][] = [
    [bad, ''],
    [[0, [1, { x: bad }]], '[1][1].x'],
    [{ 'odd key': bad }, '["odd key"]'],
    [{ ['__proto__']: bad }, '.__proto__'],
    [new Map([[1, bad]]), '.get(1)'],
    [new Map([[key, bad]]), '.values()[0]'],
    [
      new Map<unknown, number>([
        ['fine', 1],
        [bad, 2],
      ]),
      '.keys()[1]',
    ],
    [new Set([1, bad]), '.values()[1]'],
    [Object.assign([1, 2], { extra: bad }), '.extra'],
    [Object.assign(new Array(3), { 2: bad }), '[2]'],
    [new Error('with a cause', { cause: [bad] }), '.cause[0]'],
    [new Holder([new Holder(bad)]), '.held[0].held'],
    [Object.assign(Object.create(null), { a: bad }), '.a'],
    [{ a: runInNewContext('({ b: [() => 1] })') }, '.a.b[0]'],
    [Symbol('s'), ''],
    [{ a: new Proxy({}, {}) }, '.a'],
    [{ a: revocable.proxy }, '.a'],
    [{ a: Promise.resolve() }, '.a'],
    [{ a: new Holder(new WeakRef({})) }, '.a.held'],
    [{ a: [new Holder(1), new Holder(new Uint8Array(4)), detached] }, '.a[2]'],
    [{ a: new Intl.NumberFormat(), b: new WeakRef({}) }, '.a'],
  ];
  for (const [value, path] of cases) {
    assert.equal(findCulprit(value)?.path, path);
    assert.equal(findCulprit(around(value))?.path, `[4]${path}`);
  }
});

test('ports are to blame only when nothing else is, and are never cloned', async () => {
  const { port1, port2 } = new MessageChannel();
  let closed = 0;
  for (const port of [port1, port2]) port.on('close', () => closed++);
  port1.close();
  // The other one is closed soon after.
  await until(() => closed === 2);
  for (const port of [port1, port2]) {
    assert.equal(findCulprit(port)?.path, '');
    assert.equal(findCulprit([{ port }, new WeakRef({})])?.path, '[0].port');
    assert.equal(findCulprit([{ port }, { bad }])?.path, '[1].bad');
    assert.equal(findCulprit([new Holder(port), new Holder(1), new Holder(bad)])?.path, '[2].held');
    assert.equal(findCulprit([new Holder(1), new Holder({ port })])?.path, '[1].held.port');
  }
});

test('properties that are not cloned are not to blame', () => {
  const fine = [
    Object.assign(new Error('no'), { ignored: bad }),
    Object.assign(new Map(), { ignored: bad }),
    Object.assign(new Date(), { ignored: bad }),
    Object.assign(new Blob([]), { ignored: bad }),
    Object.assign(new Uint8Array(3), { ignored: bad }),
    Object.defineProperty({}, 'hidden', { value: bad }),
    { [Symbol('key')]: bad },
  ];
  for (const value of fine) assert.equal(findCulprit([value, bad])?.path, '[1]');
});

test('circles and getters that throw do not mislead it', () => {
  const circle: unknown[] = [];
  circle.push(circle, { circle });
  const failing = Object.defineProperty({}, 'a', {
    enumerable: true,
    get: () => assert.fail('from a getter'),
  });
  assert.equal(findCulprit(circle), undefined);
  assert.equal(findCulprit([circle, failing, circle, { bad }])?.path, '[3].bad');
});

test('nothing but the whole is cloned, and that a few times', () => {
  const plain = Array.from({ length: 30_000 }, (_, index) => ({ index, text: `number ${index}` }));
  const held = Array.from({ length: 10_000 }, (_, index) => new Holder(index));
  const cases: [value: unknown[], most: number][] = [
    [[...plain, bad], 0],
    [[...plain, { bad }], 0],
    [[...held, new Holder(bad)], 1],
    [[...held, new WeakRef({})], 20],
  ];
  for (const [value, most] of cases) {
    clones = 0;
    assert.match(findCulprit(value)?.path ?? '', new RegExp(`^\\[${value.length - 1}\\]`));
    assert.ok(clones <= most, `${clones} clones`);
  }
});

test('a value of very many parts is not searched for long', () => {
  const parts = Array.from({ length: 2 ** 18 }, () => ({}));
  assert.equal(findCulprit([...parts, bad]), undefined);
  assert.equal(findCulprit([bad, ...parts])?.path, '[0]');
});

/** What the codec says of a value, by the path to the part that is to blame. */
function refusalOf(value: unknown): string | undefined {
  try {
    new Encoder().encode(value);
    return undefined;
  } catch (error) {
    return (uncloneable('task', value, error) as { path: string }).path;
  }
}

test('the codec refuses what it comes to, however late, without cloning what is before it', () => {
  const many = Array.from({ length: 2 ** 18 }, (_, index) => ({ index }));
  const { port1 } = new MessageChannel();
  port1.close();
  const cases: [part: unknown, path: string][] = [
    [bad, ''],
    [[0, { x: [bad] }], '[1].x[0]'],
    [new Map([[1, new Set([bad])]]), '.get(1).values()[0]'],
    [Object.assign(Object.create(null), { a: Symbol.iterator }), '.a'],
    [{ a: Promise.resolve() }, '.a'],
  ];
  for (const [part, path] of cases) {
    cloned = many;
    assert.equal(refusalOf({ many, part }), `task.part${path}`);
    assert.ok(!Object.hasOwn(Object(cloned), 'many') && cloned !== many, path);
  }
  clones = 0;
  assert.equal(refusalOf({ many, port1 }), 'task.port1');
  assert.equal(clones, 0);
});

test('the codec refuses nothing that structured clone would not come to', () => {
  const disguised = Object.setPrototypeOf(new Map(), Object.prototype);
  for (const value of [
    Object.assign(disguised, { ignored: bad }),
    { inside: Object.assign(Object.setPrototypeOf(new Set(), null), { ignored: [bad] }) },
    [Object.assign(new Blob([]), { ignored: bad })],
  ]) {
    original(value);
    assert.equal(refusalOf(value), undefined);
  }
});
