import { Blob } from 'node:buffer';
import { finished } from 'node:stream/promises';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { callback, type Entry, entries } from './entry.js';

const POOL = 'Compression is computation, so every chunk is a job of its own for a pool thread.';
const DATA = Buffer.alloc(1000, 'plimsoll');

const SYNC = 'It compresses on the calling thread, and the event loop stands still meanwhile.';
const WHY = { pool: POOL, 'main thread': SYNC };

type OneShot = (data: Buffer, done: (error?: unknown) => void) => void;
const zstdCompress = (zlib as { zstdCompress?: OneShot }).zstdCompress;

export const zlibEntries: readonly Entry[] = [
  ...entries('zlib.', WHY, {
    'gzip(data, callback)': () => promisify(zlib.gzip)(DATA),
    'gunzip(data, callback)': () => promisify(zlib.gunzip)(zlib.gzipSync(DATA)),
    'deflate(data, callback)': () => promisify(zlib.deflate)(DATA),
    'inflate(data, callback)': () => promisify(zlib.inflate)(zlib.deflateSync(DATA)),
    'brotliCompress(data, callback)': () => promisify(zlib.brotliCompress)(DATA),
    'brotliDecompress(data, callback)': () => promisify(zlib.brotliDecompress)(zlib.brotliCompressSync(DATA)),
    'zstdCompress(data, callback)': {
      run: () => callback((done) => zstdCompress?.(DATA, done)),
      available: () => zstdCompress !== undefined,
    },
    'createGzip()'() {
      const stream = zlib.createGzip();
      stream.end(DATA);
      return finished(stream.resume());
    },
  }),
  {
    name: 'CompressionStream',
    call: "new CompressionStream('gzip')",
    run: async () => {
      for await (const _ of new Blob([DATA]).stream().pipeThrough(new CompressionStream('gzip')));
    },
    why: { pool: POOL },
  },
  ...entries('zlib.', WHY, {
    'gzipSync(data)': {
      run: () => void zlib.gzipSync(DATA),
      alternative: 'gzip with a callback, which runs on a pool thread instead',
    },
  }),
];
