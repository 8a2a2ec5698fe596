import assert from 'node:assert/strict';

type Pair = [actual: unknown, expected: unknown];

/**
 * Asserts that two values are equal as graphs: same values, and the same objects shared in the same places, however deep they
 * are. Not `deepStrictEqual`, which sees no sharing, and for which some versions of Node hold invalid dates unequal.
 */
export function assertSameGraph(actual: unknown, expected: unknown): void {
  const forward = new Map<unknown, unknown>();
  const backward = new Map<unknown, unknown>();
  const left: Pair[] = [[actual, expected]];
  for (let pair = left.pop(); pair !== undefined; pair = left.pop()) {
    const [ours, theirs] = pair;
    if (typeof ours !== 'object' || ours === null || typeof theirs !== 'object' || theirs === null) {
      assert.ok(Object.is(ours, theirs), `${String(ours)} is not ${String(theirs)}`);
    } else if (forward.has(ours) || backward.has(theirs)) {
      const isSame = forward.get(ours) === theirs && backward.get(theirs) === ours;
      assert.ok(isSame, 'an object is shared in one value and copied in the other');
    } else {
      forward.set(ours, theirs);
      backward.set(theirs, ours);
      for (const pair of pairsOf(ours, theirs)) left.push(pair);
    }
  }
}

function pairsOf(actual: object, expected: object): Pair[] {
  const [ours, theirs] = [Object.getPrototypeOf(actual), Object.getPrototypeOf(expected)];
  assert.ok(ours === theirs, `the prototypes differ: ${nameOf(ours)}, not ${nameOf(theirs)}`);
  const parts = partsOf(actual);
  const others = partsOf(expected);
  assert.equal(parts.length, others.length, `the number of parts of a ${nameOf(theirs)}`);
  return parts.map((part, index): Pair => [part, others[index]]).reverse();
}

const nameOf = (prototype: { constructor?: { name?: string } } | null): string =>
  prototype?.constructor?.name ?? 'none';

/** Everything that makes an object what it is, in order. Holes of arrays show as keys that are missing. */
function partsOf(value: object): unknown[] {
  if (value instanceof Map) return [...value].flat();
  if (value instanceof Set) return [...value];
  if (value instanceof Date) return [value.getTime()];
  if (value instanceof RegExp) return [value.source, value.flags, value.lastIndex];
  if (value instanceof Error) return [value.name, value.message, value.stack, value.cause];
  if (ArrayBuffer.isView(value)) return [value.buffer, value.byteOffset, value.byteLength];
  if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) return partsOfBuffer(value);
  if (
    value instanceof Number ||
    value instanceof String ||
    value instanceof Boolean ||
    value instanceof BigInt
  )
    return [value.valueOf()];
  if (value instanceof Blob) return [value.size, value.type];
  const length = Array.isArray(value) ? [value.length] : [];
  return [...length, ...Object.keys(value), ...Object.values(value)];
}

function partsOfBuffer(buffer: ArrayBuffer | SharedArrayBuffer): unknown[] {
  const { maxByteLength, growable, resizable } = buffer as {
    maxByteLength?: number;
    growable?: boolean;
    resizable?: boolean;
  };
  return [buffer.byteLength, maxByteLength, growable, resizable, Buffer.from(buffer).toString('latin1')];
}
