/** Is something in a value that was cloned nested in more than so many others? */
export function isDeeper(value: unknown, most: number, seen = new Set<object>()): boolean {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || seen.has(value))
    return false;
  if (most === 0) return true;
  seen.add(value);
  for (const part of partsOf(value)) if (isDeeper(part, most - 1, seen)) return true;
  return false;
}

function partsOf(value: object): Iterable<unknown> {
  if (value instanceof Map) return [...value].flat();
  if (value instanceof Set) return value;
  if (value instanceof Error) return [value.cause];
  return Object.values(value);
}
