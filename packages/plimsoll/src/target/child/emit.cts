import type { EventEmitter } from 'node:events';

type Emit = (this: EventEmitter, ...args: unknown[]) => boolean;

/**
 * Put something around the `emit` of a class. What it had of its own or inherits is called as if nothing stood between:
 * the inherited one is looked up at each call, since others may replace it too.
 */
function wrapEmit(prototype: EventEmitter, wrap: (original: Emit) => Emit): void {
  const own = Object.hasOwn(prototype, 'emit') ? (prototype.emit as Emit) : null;
  const parent = Object.getPrototypeOf(prototype) as { emit: Emit };
  const inherited: Emit = function emit(...args) {
    return Reflect.apply(parent.emit, this, args);
  };
  Object.defineProperty(prototype, 'emit', {
    value: wrap(own ?? inherited),
    writable: true,
    configurable: true,
  });
}

export = wrapEmit;
