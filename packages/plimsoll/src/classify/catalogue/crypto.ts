import crypto from 'node:crypto';
import { promisify } from 'node:util';
import { callback, type Entry, entries } from './entry.js';

const POOL = 'It is computation without an event loop inside, so Node hands it to a pool thread.';
const SYNC = 'This form computes on the calling thread, and the event loop stands still meanwhile.';

const DATA = Buffer.alloc(64, 'plimsoll');

const once = <T>(make: () => T): (() => T) => {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
};

/** Keys are made synchronously, so that only the operation itself can meet the pool. */
const keys = once(() => crypto.generateKeyPairSync('ed25519'));
const x25519 = once(() => crypto.generateKeyPairSync('x25519'));
const { subtle } = crypto.webcrypto;
const hmac = once(() =>
  subtle.importKey('raw', DATA, { name: 'HMAC', hash: 'SHA-256' }, true, ['sign', 'verify']),
);
const aes = once(() =>
  subtle.importKey('raw', DATA.subarray(0, 32), 'AES-GCM', true, ['encrypt', 'decrypt']),
);
const password = once(() => subtle.importKey('raw', DATA, 'PBKDF2', false, ['deriveBits']));
const AES = { name: 'AES-GCM', iv: DATA.subarray(0, 12) } as const;

type Argon2 = (algorithm: string, parameters: object, done: (error?: unknown) => void) => void;
const argon2 = (crypto as { argon2?: Argon2 }).argon2;
type DiffieHellman = (options: object, done: (error?: unknown) => void) => void;

const ARGON2 = {
  message: 'secret',
  nonce: DATA.subarray(0, 16),
  parallelism: 1,
  tagLength: 32,
  memory: 64,
  passes: 1,
};
const PBKDF2 = { name: 'PBKDF2', hash: 'SHA-256', salt: DATA, iterations: 1000 } as const;

export const cryptoEntries: readonly Entry[] = entries(
  'crypto.',
  { pool: POOL, 'main thread': SYNC },
  {
    'pbkdf2(…, callback)': () => promisify(crypto.pbkdf2)('secret', 'salt', 1000, 32, 'sha256'),
    'scrypt(…, callback)': () => callback((done) => crypto.scrypt('secret', 'salt', 32, { N: 1024 }, done)),
    'argon2(…, callback)': {
      run: () => callback((done) => argon2?.('argon2id', ARGON2, done)),
      available: () => argon2 !== undefined,
    },
    'hkdf(…, callback)': () => promisify(crypto.hkdf)('sha256', 'key', 'salt', 'info', 32),
    'randomBytes(n, callback)': {
      run: () => promisify(crypto.randomBytes)(32),
      alternative:
        'randomBytes without a callback: for a few bytes it is faster than the way to a thread and back',
    },
    'randomFill(buffer, callback)': () => callback((done) => crypto.randomFill(Buffer.alloc(32), done)),
    'randomInt(max, callback)': {
      run: () => callback<number>((done) => crypto.randomInt(1000, done)),
      why: {
        pool: 'It draws from a cache of random bytes, which is filled on a pool thread.',
        'main thread': 'The cache of random bytes was full enough: nothing had to be computed.',
      },
    },
    'generateKey(type, options, callback)': () => promisify(crypto.generateKey)('hmac', { length: 256 }),
    'generateKeyPair(type, options, callback)': () =>
      callback((done) => crypto.generateKeyPair('ed25519', {}, done)),
    'generatePrime(bits, callback)': () => callback((done) => crypto.generatePrime(64, done)),
    'checkPrime(candidate, callback)': () => callback((done) => crypto.checkPrime(Buffer.from([101]), done)),
    'sign(algorithm, data, key, callback)': () =>
      callback((done) => crypto.sign(null, DATA, keys().privateKey, done)),
    'verify(algorithm, data, key, signature, callback)': () => {
      const signature = crypto.sign(null, DATA, keys().privateKey);
      return callback((done) => crypto.verify(null, DATA, keys().publicKey, signature, done));
    },
    'diffieHellman(options, callback)': {
      run: () => callback((done) => (crypto.diffieHellman as unknown as DiffieHellman)(x25519(), done)),
      // The callback came with Node 23.11; before that the function takes one argument.
      available: () => crypto.diffieHellman.length > 1,
    },
    'subtle.digest(…)': () => subtle.digest('SHA-256', DATA),
    'subtle.sign(…)': async () => subtle.sign('HMAC', await hmac(), DATA),
    'subtle.encrypt(…)': async () => subtle.encrypt(AES, await aes(), DATA),
    'subtle.deriveBits(…)': async () => subtle.deriveBits(PBKDF2, await password(), 256),
    'subtle.generateKey(…)': () => subtle.generateKey({ name: 'AES-GCM', length: 256 }, true, ['encrypt']),
    'subtle.importKey(…)': () => subtle.importKey('raw', DATA.subarray(0, 16), 'AES-GCM', true, ['encrypt']),
    'subtle.exportKey(…)': async () => subtle.exportKey('raw', await aes()),
    "createHash('sha256').update(…).digest()": () => void crypto.createHash('sha256').update(DATA).digest(),
    'createCipheriv(…).update(…)': () =>
      void crypto.createCipheriv('aes-256-ctr', DATA.subarray(0, 32), DATA.subarray(0, 16)).update(DATA),
    'getRandomValues(array)': () => void crypto.getRandomValues(new Uint8Array(32)),
    'pbkdf2Sync(…)': {
      run: () => void crypto.pbkdf2Sync('secret', 'salt', 20_000, 32, 'sha256'),
      alternative: 'pbkdf2 with a callback, which runs on a pool thread instead',
    },
    'randomBytes(n)': { name: 'randomBytes.sync', run: () => void crypto.randomBytes(32) },
    'randomUUID()': () => void crypto.randomUUID(),
    'sign(algorithm, data, key)': {
      name: 'sign.sync',
      run: () => void crypto.sign(null, DATA, keys().privateKey),
      alternative: 'sign with a callback, which runs on a pool thread instead',
    },
  },
);
