// `npm run bench:codec [-- SHAPE… --build FOLDER --ms N]`: the pool's codec beside structured clone through a port, which is what
// other pools use, for shapes of values in sizes from 1 to 10^6. Both in this thread, by turns: what both sides of a pool pay, but
// for waking each other.
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import { root, run } from './run.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { build: { type: 'string' }, one: { type: 'string' }, ms: { type: 'string', default: '40' } },
});
if (options.build === undefined)
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-b', 'packages/pool']);
const build = resolve(options.build ?? join(root, 'packages/pool/dist'));
/** @param {string} file */
const load = (file) => import(pathToFileURL(join(build, 'shared/codec', file)).href);
const [{ Encoder }, { Decoder, memoryOf }, { Makers }, { copyBytes }] = await Promise.all(
  ['encode.js', 'decode.js', 'makers.js', 'tags.js'].map(load),
);

let salt = 0;
/** @template Item @param {number} size @param {(index: number) => Item} make */
const list = (size, make) => Array.from({ length: size }, (_, index) => make(index));
/** @param {number} size @param {(index: number) => string | number} key */
const dictionary = (size, key) => Object.fromEntries(list(size, (index) => [key(index), index]));

/** Values of a shape and size; made anew for each message where that matters to V8. @type {Record<string, (size: number) => unknown>} */
const shapes = {
  integers: (size) => list(size, (index) => index * 7),
  floats: (size) => list(size, (index) => index / 7),
  'mixed numbers and texts': (size) => list(size, (index) => (index % 2 === 0 ? index : `text ${index}`)),
  strings: (size) => list(size, (index) => `string number ${index}`),
  'wide strings': (size) => list(size, (index) => `文字 number ${index}`),
  'dictionary, the same keys': (size) => dictionary(size, (index) => `key ${index}`),
  // Without a hidden class in this thread, which the reader would find: it reads in another one.
  'dictionary, new keys': (size) => {
    const bare = Object.setPrototypeOf({ first: 1 }, null);
    for (let index = 0; index < size; index++) bare[`key ${salt}-${index}`] = index;
    return Object.setPrototypeOf(bare, Object.prototype);
  },
  'dictionary by number': (size) => dictionary(size, (index) => index * 3),
  'Map of strings': (size) => new Map(list(size, (index) => [`key ${index}`, index])),
  'Map of numbers': (size) => new Map(list(size, (index) => [index, `value ${index}`])),
  'Set of numbers': (size) => new Set(list(size, (index) => index * 7)),
  records: (size) => list(size, (id) => ({ id, name: `name ${id}`, price: id / 4, tags: ['a', 'b'] })),
  text: (size) => 'a'.repeat(size),
  'wide text': (size) => '文'.repeat(size),
};

const makers = new Makers();
const lent = memoryOf(new SharedArrayBuffer(2 ** 23));
/** As the arena of a pool, which has old and new interfaces. @param {number | Uint8Array} bytes @param {Function} [write] */
function lend(bytes, write) {
  const length = typeof bytes === 'number' ? bytes : bytes.length;
  if (length > lent.bytes.length / 2) return -1;
  if (write === undefined) copyBytes(bytes, lent.bytes, 0);
  else write(lent.bytes, 0);
  return 0;
}
const encoder = new Encoder(4096, lend, (/** @type {number} */ number, /** @type {string[]} */ names) =>
  makers.add(number, names),
);
const decoder = new Decoder(makers, (/** @type {number} */ at, /** @type {number} */ length) =>
  lent.bytes.subarray(at, at + length),
);
let shared = memoryOf(new SharedArrayBuffer(2 ** 16));
const { port1, port2 } = new MessageChannel();
let isLeft = false;

/** @param {unknown} value */
function byPort(value) {
  port1.postMessage(value);
  return receiveMessageOnPort(port2)?.message;
}

/** As a pool does it. @param {unknown} value */
function byCodec(value) {
  const encoded = encoder.encode(value);
  isLeft = encoded === undefined;
  if (isLeft) return byPort(value);
  const { length } = encoded;
  if (length > shared.words.length) shared = memoryOf(new SharedArrayBuffer(length * 4));
  copyBytes(encoded.bytes.subarray(0, length * 4), shared.bytes, 0);
  return decoder.decode(shared, 0, length, encoded.encodingFlags, encoded.externals);
}

/** Microseconds a message. @param {(value: unknown) => unknown} way @param {unknown} value @param {number} times */
function time(way, value, times) {
  const start = performance.now();
  for (let count = 0; count < times; count++) way(value);
  return ((performance.now() - start) / times) * 1000;
}

/** @param {number[]} times */
const medianOf = (times) => /** @type {number} */ (times.sort((one, next) => one - next)[times.length >> 1]);

/** @param {string} name */
function measure(name) {
  const make = /** @type {(size: number) => unknown} */ (shapes[name]);
  const isNew = name.includes('new keys');
  const warm = performance.now() + 400;
  for (let size = 1; performance.now() < warm; size = (size * 10) % 99_999) {
    const value = make(size);
    for (let count = 0; count < Math.ceil(1000 / size); count++) byPort(byCodec(value));
    salt++;
  }
  for (let size = 1; size <= 1e6; size *= 10) {
    let value = make(size);
    const times = isNew ? 1 : Math.ceil(1000 / size);
    /** @type {[number[], number[]]} */
    const [port, codec] = [[], []];
    const end = performance.now() + Number(options.ms) * 3;
    while (performance.now() < end || codec.length < 5) {
      salt++;
      if (isNew) value = make(size);
      codec.push(time(byCodec, value, times));
      salt++;
      if (isNew) value = make(size);
      port.push(time(byPort, value, times));
    }
    const [theirs, ours] = [medianOf(port), medianOf(codec)];
    const note = isLeft ? ' (left to it)' : '';
    const ratio = (theirs / ours).toFixed(2);
    console.log(`| ${name} | ${size} | ${theirs.toFixed(1)} | ${ours.toFixed(1)}${note} | ${ratio} |`);
  }
}

if (options.one !== undefined) measure(options.one);
else {
  console.log(`| Node ${process.versions.node}: shape | items | port, µs | codec, µs | port ÷ codec |`);
  console.log('|---|---|---|---|---|');
  for (const name of Object.keys(shapes)) {
    if (positionals.length > 0 && !positionals.some((word) => name.includes(word))) continue;
    // A process for each: the engine would otherwise go by what it has seen of the shapes before.
    const own = [fileURLToPath(import.meta.url), '--one', name, '--ms', options.ms, '--build', build];
    run(process.execPath, own);
  }
}
port1.close();
