const { defineProperty, prototype } = Object;

/**
 * Gives an object a property. Assigning is that where no object inherits the name: else there may be a setter, as of
 * `__proto__`, or something read-only, when somebody has frozen the prototypes.
 */
export function define(target: object, name: string, value: unknown): void {
  if (!(name in prototype)) (target as Record<string, unknown>)[name] = value;
  else defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}
