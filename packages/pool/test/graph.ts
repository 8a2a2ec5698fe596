import assert from 'node:assert/strict';

/** Asserts that two values are equal as graphs: same values, and the same objects shared in the same places. */
export function assertSameGraph(actual: unknown, expected: unknown): void {
  assert.deepStrictEqual(actual, expected);
  assertSameSharing(actual, expected, new Map(), new Map());
}

function assertSameSharing(
  actual: unknown,
  expected: unknown,
  forward: Map<unknown, unknown>,
  backward: Map<unknown, unknown>,
): void {
  if (typeof actual !== 'object' || actual === null || typeof expected !== 'object' || expected === null) {
    assert.ok(Object.is(actual, expected), `${String(actual)} is not ${String(expected)}`);
    return;
  }
  if (forward.has(actual) || backward.has(expected)) {
    assert.equal(forward.get(actual), expected, 'an object is shared in one value and copied in the other');
    assert.equal(backward.get(expected), actual, 'an object is shared in one value and copied in the other');
    return;
  }
  forward.set(actual, expected);
  backward.set(expected, actual);
  const ours = childrenOf(actual);
  const theirs = childrenOf(expected);
  assert.equal(ours.length, theirs.length);
  for (let index = 0; index < ours.length; index++)
    assertSameSharing(ours[index], theirs[index], forward, backward);
}

function childrenOf(value: object): unknown[] {
  if (value instanceof Map) return [...value].flat();
  if (value instanceof Set) return [...value];
  if (ArrayBuffer.isView(value)) return [value.buffer, value.byteOffset, value.byteLength];
  if (value instanceof ArrayBuffer) return [...new Uint8Array(value)];
  return [...Object.keys(value), ...Object.values(value)];
}
