import { Blob } from 'node:buffer';
import crypto from 'node:crypto';
import { finished } from 'node:stream/promises';
import zlib from 'node:zlib';
import { callbacks, calls, type Entry } from './entry.js';

const COMPUTES = {
  pool: 'Node runs this computation on a pool thread.',
  'main thread': 'This form computes on the calling thread and blocks the event loop meanwhile.',
};

const DATA = Buffer.alloc(64, 'plimsoll');
const KEY = DATA.subarray(0, 32);
const { subtle } = crypto.webcrypto;
const AES = { name: 'AES-GCM', iv: DATA.subarray(0, 12) } as const;
const PBKDF2 = { name: 'PBKDF2', hash: 'SHA-256', salt: DATA, iterations: 1000 } as const;
const ARGON2 = {
  ...{ message: 'secret', nonce: DATA.subarray(0, 16), parallelism: 1 },
  ...{ tagLength: 32, memory: 64, passes: 1 },
};

const once = <Value>(make: () => Value): (() => Value) => {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
};
/** Made synchronously, so that only the operation itself can meet the pool. */
const keys = once(() => crypto.generateKeyPairSync('ed25519'));
const hmac = once(() =>
  subtle.importKey('raw', DATA, { name: 'HMAC', hash: 'SHA-256' }, true, ['sign', 'verify']),
);
const aes = once(() => subtle.importKey('raw', KEY, 'AES-GCM', true, ['encrypt', 'decrypt']));
const password = once(() => subtle.importKey('raw', DATA, 'PBKDF2', false, ['deriveBits']));

const WITH_CALLBACK = 'with a callback, which runs on a pool thread instead';

export const cryptoEntries: readonly Entry[] = [
  ...callbacks('crypto.', crypto, COMPUTES, {
    'pbkdf2(…)': () => ['secret', 'salt', 1000, 32, 'sha256'],
    'scrypt(…)': () => ['secret', 'salt', 32, { N: 1024 }],
    'argon2(…)': () => ['argon2id', ARGON2],
    'hkdf(…)': () => ['sha256', 'key', 'salt', 'info', 32],
    'randomBytes(n)': {
      run: () => [32],
      alternative: 'randomBytes without a callback, which is faster for a few bytes than a pool job',
    },
    'randomFill(buffer)': () => [Buffer.alloc(32)],
    'randomInt(max)': {
      run: () => [1000],
      why: {
        pool: 'It draws from a cache of random bytes, which Node fills on a pool thread.',
        'main thread': 'The cache of random bytes was full enough, so Node computed nothing.',
      },
    },
    'generateKey(type, options)': () => ['hmac', { length: 256 }],
    'generateKeyPair(type, options)': () => ['ed25519', {}],
    'generatePrime(bits)': () => [64],
    'checkPrime(candidate)': () => [Buffer.from([101])],
    'sign(algorithm, data, key)': () => [null, DATA, keys().privateKey],
    'verify(algorithm, data, key, signature)'() {
      return [null, DATA, keys().publicKey, crypto.sign(null, DATA, keys().privateKey)];
    },
    'diffieHellman(options)': {
      run: () => [crypto.generateKeyPairSync('x25519')],
      // The callback came with Node 23.11; before that the function takes one argument.
      available: crypto.diffieHellman.length > 1,
    },
  }),
  ...calls('crypto.', COMPUTES, {
    'subtle.digest(…)': () => subtle.digest('SHA-256', DATA),
    'subtle.sign(…)': async () => subtle.sign('HMAC', await hmac(), DATA),
    'subtle.encrypt(…)': async () => subtle.encrypt(AES, await aes(), DATA),
    'subtle.deriveBits(…)': async () => subtle.deriveBits(PBKDF2, await password(), 256),
    'subtle.generateKey(…)': () => subtle.generateKey({ name: 'AES-GCM', length: 256 }, true, ['encrypt']),
    'subtle.importKey(…)': () => subtle.importKey('raw', KEY, 'AES-GCM', true, ['encrypt']),
    'subtle.exportKey(…)': async () => subtle.exportKey('raw', await aes()),
    "createHash('sha256').update(…).digest()": () => void crypto.createHash('sha256').update(DATA).digest(),
    'createCipheriv(…).update(…)': () =>
      void crypto.createCipheriv('aes-256-ctr', KEY, DATA.subarray(0, 16)).update(DATA),
    'getRandomValues(array)': () => void crypto.getRandomValues(new Uint8Array(32)),
    'pbkdf2Sync(…)': {
      run: () => void crypto.pbkdf2Sync('secret', 'salt', 20_000, 32, 'sha256'),
      alternative: `pbkdf2 ${WITH_CALLBACK}`,
    },
    'randomBytes(n)': { name: 'randomBytes.sync', run: () => void crypto.randomBytes(32) },
    'randomUUID()': () => void crypto.randomUUID(),
    'sign(algorithm, data, key)': {
      name: 'sign.sync',
      run: () => void crypto.sign(null, DATA, keys().privateKey),
      alternative: `sign ${WITH_CALLBACK}`,
    },
  }),
];

const TEXT = Buffer.alloc(1000, 'plimsoll');
const COMPRESSES = { ...COMPUTES, pool: 'Node compresses each chunk in a separate pool job.' };

export const zlibEntries: readonly Entry[] = [
  ...callbacks('zlib.', zlib, COMPRESSES, {
    'gzip(data)': () => [TEXT],
    'gunzip(data)': () => [zlib.gzipSync(TEXT)],
    'deflate(data)': () => [TEXT],
    'inflate(data)': () => [zlib.deflateSync(TEXT)],
    'brotliCompress(data)': () => [TEXT],
    'brotliDecompress(data)': () => [zlib.brotliCompressSync(TEXT)],
    'zstdCompress(data)': () => [TEXT],
  }),
  ...calls('zlib.', COMPRESSES, {
    'createGzip()'() {
      const stream = zlib.createGzip();
      stream.end(TEXT);
      return finished(stream.resume());
    },
    'gzipSync(data)': { run: () => void zlib.gzipSync(TEXT), alternative: `gzip ${WITH_CALLBACK}` },
  }),
  ...calls('', COMPRESSES, {
    "new CompressionStream('gzip')": {
      name: 'CompressionStream',
      run: async () => {
        for await (const _ of new Blob([TEXT]).stream().pipeThrough(new CompressionStream('gzip')));
      },
    },
  }),
];
