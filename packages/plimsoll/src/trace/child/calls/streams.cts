import fs = require('node:fs');
import stream = require('node:stream');
import zlib = require('node:zlib');
import context = require('../context.cjs');
import wrap = require('./wrap.cjs');

type Context = ReturnType<typeof context.current>;
type Operations = InstanceType<typeof wrap.Operations>;

/** What a stream does is part of this. */
const owners = new WeakMap<object, Context>();

const FILES = {
  'fs.createReadStream': [fs.ReadStream, ['_construct', '_read', '_destroy']],
  'fs.createWriteStream': [fs.WriteStream, ['_construct', '_write', '_writev', '_destroy']],
} as const;

/** A stream of a file is one operation, each chunk of a stream of zlib another, and a pipeline one with all in it. */
function wrapStreams(operations: Operations): void {
  for (const [name, [type, methods]] of Object.entries(FILES))
    for (const method of methods) wrapFile(operations, type.prototype as object, method, name);
  wrapChunks(operations);
  markPipelines(stream);
  markPipelines(stream.promises);
}

function wrapFile(operations: Operations, prototype: object, method: string, name: string): void {
  wrap.replace(prototype, method, (original) => {
    return {
      call(this: object, ...args: unknown[]): unknown {
        let owner = owners.get(this);
        if (owner === undefined) {
          const begun = operations.beginOpen(name);
          if (begun === undefined) return Reflect.apply(original, this, args);
          owner = operations.within(begun);
          owners.set(this, owner);
        }
        return context.run(owner, Reflect.apply, original, this, args);
      },
    }.call;
  });
}

function wrapChunks(operations: Operations): void {
  // What all streams of zlib have in common has no name.
  const common = Object.getPrototypeOf(Object.getPrototypeOf(zlib.Gzip.prototype)) as object;
  wrap.replace(common, '_transform', (original) => {
    return {
      call(this: object, ...args: unknown[]): unknown {
        const outer = context.get();
        const owner = operations.isInside(outer) ? outer : owners.get(this);
        if (owner !== undefined) return context.run(owner, Reflect.apply, original, this, args);
        const own = operations.beginOpen(`zlib.${this.constructor.name}`);
        if (own === undefined) return Reflect.apply(original, this, args);
        const [chunk, encoding, done] = args;
        const leave = typeof done === 'function' ? operations.leave(done, own.operation, outer) : done;
        return context.run(own, Reflect.apply, original, this, [chunk, encoding, leave]);
      },
    }.call;
  });
}

/** The streams of a pipeline were made before it, and work for it. */
function markPipelines(object: object): void {
  wrap.replace(object, 'pipeline', (original) => {
    return {
      call(this: unknown, ...args: unknown[]): unknown {
        const own = context.get();
        if (own !== undefined && own.operation !== 0)
          for (const part of args.flat())
            if (typeof part === 'object' && part !== null && !owners.has(part)) owners.set(part, own);
        return Reflect.apply(original, this, args);
      },
    }.call;
  });
}

export = wrapStreams;
