import crypto from 'node:crypto';
import { promisify } from 'node:util';
import { callback, type Entry } from './entry.js';

const POOL = 'It is computation without an event loop inside, so Node hands it to a pool thread.';
const SYNC = 'This form computes on the calling thread, and the event loop stands still meanwhile.';

const entry = (name: string, call: string, run: Entry['run'], more: Partial<Entry> = {}): Entry => ({
  name: `crypto.${name}`,
  call: `crypto.${call}`,
  run,
  why: { pool: POOL, 'main thread': SYNC },
  ...more,
});

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

export const cryptoEntries: readonly Entry[] = [
  entry('pbkdf2', 'pbkdf2(…, callback)', () =>
    promisify(crypto.pbkdf2)('secret', 'salt', 1000, 32, 'sha256'),
  ),
  entry('scrypt', 'scrypt(…, callback)', () =>
    callback((done) => crypto.scrypt('secret', 'salt', 32, { N: 1024 }, done)),
  ),
  entry(
    'argon2',
    'argon2(…, callback)',
    () =>
      callback((done) =>
        argon2?.(
          'argon2id',
          {
            message: 'secret',
            nonce: DATA.subarray(0, 16),
            parallelism: 1,
            tagLength: 32,
            memory: 64,
            passes: 1,
          },
          done,
        ),
      ),
    { available: () => argon2 !== undefined },
  ),
  entry('hkdf', 'hkdf(…, callback)', () => promisify(crypto.hkdf)('sha256', 'key', 'salt', 'info', 32)),
  entry('randomBytes', 'randomBytes(n, callback)', () => promisify(crypto.randomBytes)(32), {
    alternative:
      'randomBytes without a callback: for a few bytes it is faster than the way to a thread and back',
  }),
  entry('randomFill', 'randomFill(buffer, callback)', () =>
    callback((done) => crypto.randomFill(Buffer.alloc(32), done)),
  ),
  entry(
    'randomInt',
    'randomInt(max, callback)',
    () => callback<number>((done) => crypto.randomInt(1000, done)),
    {
      why: {
        pool: 'It draws from a cache of random bytes, which is filled on a pool thread.',
        'main thread': 'The cache of random bytes was full enough: nothing had to be computed.',
      },
    },
  ),
  entry('generateKey', 'generateKey(type, options, callback)', () =>
    promisify(crypto.generateKey)('hmac', { length: 256 }),
  ),
  entry('generateKeyPair', 'generateKeyPair(type, options, callback)', () =>
    callback((done) => crypto.generateKeyPair('ed25519', {}, done)),
  ),
  entry('generatePrime', 'generatePrime(bits, callback)', () =>
    callback((done) => crypto.generatePrime(64, done)),
  ),
  entry('checkPrime', 'checkPrime(candidate, callback)', () =>
    callback((done) => crypto.checkPrime(Buffer.from([101]), done)),
  ),
  entry('sign', 'sign(algorithm, data, key, callback)', () =>
    callback((done) => crypto.sign(null, DATA, keys().privateKey, done)),
  ),
  entry('verify', 'verify(algorithm, data, key, signature, callback)', () =>
    callback((done) =>
      crypto.verify(null, DATA, keys().publicKey, crypto.sign(null, DATA, keys().privateKey), done),
    ),
  ),
  entry(
    'diffieHellman',
    'diffieHellman(options, callback)',
    () => callback((done) => (crypto.diffieHellman as unknown as DiffieHellman)(x25519(), done)),
    // The callback came with Node 23.11; before that the function takes one argument.
    { available: () => crypto.diffieHellman.length > 1 },
  ),
  entry('subtle.digest', 'subtle.digest(…)', () => subtle.digest('SHA-256', DATA)),
  entry('subtle.sign', 'subtle.sign(…)', async () => subtle.sign('HMAC', await hmac(), DATA)),
  entry('subtle.encrypt', 'subtle.encrypt(…)', async () => subtle.encrypt(AES, await aes(), DATA)),
  entry('subtle.deriveBits', 'subtle.deriveBits(…)', async () =>
    subtle.deriveBits(
      { name: 'PBKDF2', hash: 'SHA-256', salt: DATA, iterations: 1000 },
      await password(),
      256,
    ),
  ),
  entry('subtle.generateKey', 'subtle.generateKey(…)', () =>
    subtle.generateKey({ name: 'AES-GCM', length: 256 }, true, ['encrypt', 'decrypt']),
  ),
  entry('subtle.importKey', 'subtle.importKey(…)', () =>
    subtle.importKey('raw', DATA.subarray(0, 16), 'AES-GCM', true, ['encrypt']),
  ),
  entry('subtle.exportKey', 'subtle.exportKey(…)', async () => subtle.exportKey('raw', await aes())),
  entry('createHash', "createHash('sha256').update(…).digest()", () => {
    crypto.createHash('sha256').update(DATA).digest();
  }),
  entry('createCipheriv', 'createCipheriv(…).update(…)', () => {
    crypto.createCipheriv('aes-256-ctr', DATA.subarray(0, 32), DATA.subarray(0, 16)).update(DATA);
  }),
  entry('getRandomValues', 'getRandomValues(array)', () => {
    crypto.getRandomValues(new Uint8Array(32));
  }),
  entry('pbkdf2Sync', 'pbkdf2Sync(…)', () => void crypto.pbkdf2Sync('secret', 'salt', 20_000, 32, 'sha256'), {
    alternative: 'pbkdf2 with a callback, which runs on a pool thread instead',
  }),
  entry('randomBytes.sync', 'randomBytes(n)', () => void crypto.randomBytes(32)),
  entry('randomUUID', 'randomUUID()', () => void crypto.randomUUID()),
  entry('sign.sync', 'sign(algorithm, data, key)', () => void crypto.sign(null, DATA, keys().privateKey), {
    alternative: 'sign with a callback, which runs on a pool thread instead',
  }),
];
