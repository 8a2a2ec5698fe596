import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explore } from './model.js';

/**
 * The memory of the model checker, by the litmus tests that memory models are usually told apart with: which values may
 * two threads have read when both are at their ends?
 */
const X = 0;
const Y = 1;

interface Local {
  read: number[];
}
type Program = (words: Int32Array) => number[];

/** What the threads have read, all of it joined, in every execution there is. */
function outcomes(first: Program, second: Program): string[] {
  const seen = new Set<string>();
  const actorOf = (program: Program) => ({
    step(words: Int32Array, local: Local): boolean {
      local.read = program(words);
      return false;
    },
  });
  explore({
    length: 2,
    actors: [actorOf(first), actorOf(second)],
    locals: [{ read: [] }, { read: [] }],
    live: [X, Y],
    shared: [X, Y].map((word) => ({ word, plain: [0, 1], atomic: [] })),
    reorders: true,
    privateWords: () => [],
    isOwn: () => false,
    enabled: () => true,
    mayDie: () => false,
    buries: () => false,
    check: () => {},
    checkEnd: (locals) =>
      seen.add((locals as readonly object[] as readonly Local[]).flatMap(({ read }) => read).join()),
  });
  return [...seen].sort();
}

const plainly = (words: Int32Array, word: number, value: number): number[] => {
  words[word] = value;
  return [];
};
const atomically = (words: Int32Array, word: number, value: number): number[] => {
  Atomics.store(words, word, value);
  return [];
};
const plain = (words: Int32Array, word: number): number => words[word] as number;
const atomic = (words: Int32Array, word: number): number => Atomics.load(words, word);

test('message passing: only a store and a load by Atomics show what was written before', () => {
  const passing = (write: typeof plainly, read: typeof plain): string[] =>
    outcomes(
      (words) => [...plainly(words, X, 1), ...write(words, Y, 1)],
      (words) => [read(words, Y), plain(words, X)],
    );
  const anything = ['0,0', '0,1', '1,0', '1,1'];
  assert.deepEqual(passing(plainly, plain), anything);
  assert.deepEqual(passing(plainly, atomic), anything);
  assert.deepEqual(passing(atomically, plain), anything);
  assert.deepEqual(passing(atomically, atomic), ['0,0', '0,1', '1,1']);
});

test('store buffering: only Atomics on both sides show one of two threads what the other has written', () => {
  const buffering = (write: typeof plainly, read: typeof plain): string[] =>
    outcomes(
      (words) => [...write(words, X, 1), read(words, Y)],
      (words) => [...write(words, Y, 1), read(words, X)],
    );
  assert.deepEqual(buffering(plainly, atomic), ['0,0', '0,1', '1,0', '1,1']);
  assert.deepEqual(buffering(atomically, plain), ['0,0', '0,1', '1,0', '1,1']);
  assert.deepEqual(buffering(atomically, atomic), ['0,1', '1,0', '1,1']);
});

test('coherence: nobody reads an older value of one word after a newer one', () => {
  const read = outcomes(
    (words) => [...plainly(words, X, 1), ...plainly(words, X, 2)],
    (words) => [plain(words, X), plain(words, X)],
  );
  assert.deepEqual(read, ['0,0', '0,1', '0,2', '1,1', '1,2', '2,2']);
});

test('a compareExchange that fails passes nothing on, one that succeeds does', () => {
  const passing = (expected: number): string[] =>
    outcomes(
      (words) => [...plainly(words, X, 1), Atomics.compareExchange(words, Y, expected, 1)],
      (words) => [atomic(words, Y), plain(words, X)],
    );
  assert.deepEqual(passing(0), ['0,0,0', '0,0,1', '0,1,1']);
  assert.deepEqual(passing(5), ['0,0,0', '0,0,1']);
});

test('of two threads that exchange the same value, one succeeds', () => {
  const exchange = (words: Int32Array): number[] => [Atomics.compareExchange(words, X, 0, 1)];
  assert.deepEqual(outcomes(exchange, exchange), ['0,1', '1,0']);
});
