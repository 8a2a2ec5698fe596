import { Blob } from 'node:buffer';
import { finished } from 'node:stream/promises';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { callback, type Entry } from './entry.js';

const POOL = 'Compression is computation, so every chunk is a job of its own for a pool thread.';
const DATA = Buffer.alloc(1000, 'plimsoll');

const entry = (name: string, call: string, run: Entry['run'], more: Partial<Entry> = {}): Entry => ({
  name: `zlib.${name}`,
  call: `zlib.${call}`,
  run,
  why: {
    pool: POOL,
    'main thread': 'It compresses on the calling thread, and the event loop stands still meanwhile.',
  },
  ...more,
});

type OneShot = (data: Buffer, done: (error?: unknown) => void) => void;
const zstdCompress = (zlib as { zstdCompress?: OneShot }).zstdCompress;

export const zlibEntries: readonly Entry[] = [
  entry('gzip', 'gzip(data, callback)', () => promisify(zlib.gzip)(DATA)),
  entry('gunzip', 'gunzip(data, callback)', () => promisify(zlib.gunzip)(zlib.gzipSync(DATA))),
  entry('deflate', 'deflate(data, callback)', () => promisify(zlib.deflate)(DATA)),
  entry('inflate', 'inflate(data, callback)', () => promisify(zlib.inflate)(zlib.deflateSync(DATA))),
  entry('brotliCompress', 'brotliCompress(data, callback)', () => promisify(zlib.brotliCompress)(DATA)),
  entry('brotliDecompress', 'brotliDecompress(data, callback)', () =>
    promisify(zlib.brotliDecompress)(zlib.brotliCompressSync(DATA)),
  ),
  entry(
    'zstdCompress',
    'zstdCompress(data, callback)',
    () => callback((done) => zstdCompress?.(DATA, done)),
    {
      available: () => zstdCompress !== undefined,
    },
  ),
  entry('createGzip', 'createGzip()', () => {
    const stream = zlib.createGzip();
    stream.end(DATA);
    return finished(stream.resume());
  }),
  {
    name: 'CompressionStream',
    call: "new CompressionStream('gzip')",
    run: async () => {
      for await (const _ of new Blob([DATA]).stream().pipeThrough(new CompressionStream('gzip')));
    },
    why: { pool: POOL },
  },
  entry('gzipSync', 'gzipSync(data)', () => void zlib.gzipSync(DATA), {
    alternative: 'gzip with a callback, which runs on a pool thread instead',
  }),
];
