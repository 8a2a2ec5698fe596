import assert from 'node:assert/strict';

/**
 * Asserts that two values are equal as graphs: same values, and the same objects shared in the same places. Not
 * `deepStrictEqual`, which sees no sharing, and for which some versions of Node hold invalid dates unequal.
 */
export function assertSameGraph(actual: unknown, expected: unknown): void {
  compare(actual, expected, new Map(), new Map());
}

function compare(
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
    assert.ok(forward.get(actual) === expected, 'an object is shared in one value and copied in the other');
    assert.ok(backward.get(expected) === actual, 'an object is shared in one value and copied in the other');
    return;
  }
  forward.set(actual, expected);
  backward.set(expected, actual);
  assert.ok(Object.getPrototypeOf(actual) === Object.getPrototypeOf(expected), 'prototypes differ');
  const ours = partsOf(actual);
  const theirs = partsOf(expected);
  assert.equal(ours.length, theirs.length);
  for (let index = 0; index < ours.length; index++) compare(ours[index], theirs[index], forward, backward);
}

/** Everything that makes an object what it is, in order. Holes of arrays show as keys that are missing. */
function partsOf(value: object): unknown[] {
  if (value instanceof Map) return [...value].flat();
  if (value instanceof Set) return [...value];
  if (value instanceof Date) return [value.getTime()];
  if (value instanceof RegExp) return [value.source, value.flags, value.lastIndex];
  if (value instanceof Error) return [value.name, value.message, value.stack, value.cause];
  if (ArrayBuffer.isView(value)) return [value.buffer, value.byteOffset, value.byteLength];
  if (value instanceof ArrayBuffer) return [Buffer.from(value).toString('latin1')];
  if (value instanceof Number || value instanceof String || value instanceof Boolean)
    return [value.valueOf()];
  const length = Array.isArray(value) ? [value.length] : [];
  return [...length, ...Object.keys(value), ...Object.values(value)];
}
