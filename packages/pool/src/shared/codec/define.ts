const { defineProperty, prototype } = Object;
const { ownKeys } = Reflect;

const inherited = ownKeys(prototype);
const inheritedNames: ReadonlySet<unknown> = new Set(inherited);
const lengths = [...inherited].map((name) => String(name).length);
const shortest = Math.min(...lengths);
const longest = Math.max(...lengths);

/**
 * Gives an object a property. Assigning is that where no object inherits the name: else there may be a setter, as of
 * `__proto__`, or something read-only, when somebody has frozen the prototypes.
 */
export function define(target: object, name: string, value: unknown): void {
  if (!(name in prototype)) (target as Record<string, unknown>)[name] = value;
  else defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}

/** Do all objects inherit what they did when this was loaded? To ask `isInherited` then takes a quarter of what `in` takes. */
export function isPristine(): boolean {
  const now = ownKeys(prototype);
  return now.length === inherited.length && inherited.every((key, index) => key === now[index]);
}

/** Is it a name that all objects inherited when this was loaded? */
export const isInherited = (name: string): boolean =>
  name.length >= shortest && name.length <= longest && inheritedNames.has(name);
