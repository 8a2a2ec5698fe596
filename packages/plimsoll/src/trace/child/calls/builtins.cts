import crypto = require('node:crypto');
import dns = require('node:dns');
import fs = require('node:fs');
import module_ = require('node:module');
import stream = require('node:stream');
import zlib = require('node:zlib');
import streams = require('./streams.cjs');
import wrap = require('./wrap.cjs');

type Operations = InstanceType<typeof wrap.Operations>;

/** Of `fs.promises`, what gives no promise of a result: iterators, and what is no function of it. */
const NO_RESULT = new Set(['watch', 'glob', 'constants', 'FileHandle', 'default']);

const CRYPTO = [
  ...['argon2', 'checkPrime', 'decapsulate', 'diffieHellman', 'encapsulate', 'generateKey'],
  ...['generateKeyPair', 'generatePrime', 'hkdf', 'pbkdf2', 'randomBytes', 'randomFill', 'randomInt'],
  ...['scrypt', 'sign', 'verify'],
];

const ZLIB = [
  ...['brotliCompress', 'brotliDecompress', 'deflate', 'deflateRaw', 'gunzip', 'gzip', 'inflate'],
  ...['inflateRaw', 'unzip', 'zstdCompress', 'zstdDecompress'],
];

/** What a FileHandle does by itself. */
const FILE_HANDLE = [
  ...['appendFile', 'chmod', 'chown', 'close', 'datasync', 'read', 'readFile', 'readv', 'stat', 'sync'],
  ...['truncate', 'utimes', 'write', 'writeFile', 'writev'],
];

/** A function of fs that has a synchronous twin takes a callback. */
const takesCallback = (name: string): boolean => `${name}Sync` in fs && name !== 'glob';

/** Every call of these is an operation, unless it is part of another one. */
function wrapBuiltins(operations: Operations): void {
  for (const name of Object.keys(fs)) {
    if (takesCallback(name)) operations.wrap(fs, name, `fs.${name}`, 'callback');
  }
  operations.wrap(fs.realpath, 'native', 'fs.realpath.native', 'callback');
  for (const name of Object.keys(fs.promises)) {
    if (NO_RESULT.has(name)) continue;
    operations.wrap(fs.promises, name, `fs.promises.${name}`, 'promise');
  }
  wrapFileHandles(operations);
  for (const name of CRYPTO) operations.wrap(crypto, name, `crypto.${name}`, 'callback');
  for (const name of ZLIB) operations.wrap(zlib, name, `zlib.${name}`, 'callback');
  for (const name of ['lookup', 'lookupService']) {
    operations.wrap(dns, name, `dns.${name}`, 'callback');
    operations.wrap(dns.promises, name, `dns.promises.${name}`, 'promise');
  }
  operations.wrap(globalThis, 'fetch', 'fetch', 'watched');
  streams(operations);
  operations.wrap(stream, 'pipeline', 'stream.pipeline', 'callback');
  operations.wrap(stream.promises, 'pipeline', 'stream.promises.pipeline', 'watched');
  module_.syncBuiltinESMExports();
}

/** Their class is to be had from the first of them only. */
function wrapFileHandles(operations: Operations): void {
  let isWrapped = false;
  wrap.replace(fs.promises, 'open', (open) => {
    return {
      call(this: unknown, ...args: unknown[]): unknown {
        const opened: unknown = Reflect.apply(open, this, args);
        if (isWrapped || !(opened instanceof Promise)) return opened;
        return opened.then((handle: object) => {
          if (!isWrapped) {
            isWrapped = true;
            const prototype = Object.getPrototypeOf(handle) as object;
            for (const name of FILE_HANDLE) operations.wrap(prototype, name, `FileHandle.${name}`, 'promise');
          }
          return handle;
        });
      },
    }.call;
  });
}

export = wrapBuiltins;
