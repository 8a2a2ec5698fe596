import assert from 'node:assert/strict';
import { type Actor, copy, type Locals, type Log, NOTHING, type State, type World } from './model-state.js';
import { Memory, Places } from './weak-memory.js';

class Stop extends Error {}

/** Of one step: more is a loop in which it waits for others. */
const MOST_OPERATIONS = 200;

/** One for all: to note where an error was thrown takes longer than a step. */
const STOP = new Stop();

/** Thrown by `Atomics.wait`: the step is over, and the next one looks again. */
export const WAITS = new Stop();

const realAtomics = globalThis.Atomics;

/** Runs one operation after another, each with every value that it may read. */
export class Actors {
  private readonly world: World;
  private readonly locals: Locals;
  /** The words as an actor sees them: its plain accesses are noticed. */
  private readonly words: Int32Array;
  private readonly shared: ReadonlySet<number>;
  private readonly owned: readonly ReadonlySet<number>[];
  private index = 0;
  private memory: Memory;
  private log = NOTHING;
  private replayed = 0;
  private done = false;
  /** Which of how many values each load of this operation has read. */
  private readonly picks: { taken: number; readonly count: number }[] = [];
  private picked = 0;

  constructor(world: World, locals: Locals) {
    this.world = world;
    this.locals = locals;
    this.memory = Memory.of(new Places(0, [], []), 0);
    this.shared = new Set(world.shared.map(({ word }) => word));
    this.owned = world.actors.map((_, index) => new Set(world.privateWords(index)));
    this.words = this.watched(world.length);
  }

  private watched(length: number): Int32Array {
    const words = {};
    for (let word = 0; word < length; word++) {
      Object.defineProperty(words, word, {
        get: () => this.read(word),
        set: (value: number) => this.write(word, value),
      });
    }
    return words as Int32Array;
  }

  /** Pushes every state that one more operation of an actor may lead to. */
  advance(state: State, index: number, left: number, stack: State[]): void {
    this.picks.length = 0;
    do {
      this.picked = 0;
      stack.push({ ...this.run(state, index), last: index, left });
    } while (this.hasFurtherPick());
  }

  private hasFurtherPick(): boolean {
    for (let last = this.picks.at(-1); last !== undefined; last = this.picks.at(-1)) {
      if (++last.taken < last.count) return true;
      this.picks.pop();
    }
    return false;
  }

  private readonly choose = (count: number): number => {
    if (count === 1) return 0;
    if (this.picked === this.picks.length) this.picks.push({ taken: 0, count });
    return (this.picks[this.picked++] as { taken: number }).taken;
  };

  private run(state: State, index: number): State {
    const next = copy(state);
    this.resume(next, index);
    const local = this.locals.copyOf(next.locals[index] as number);
    globalThis.Atomics = this.atomics;
    try {
      next.ended[index] = !(this.world.actors[index] as Actor).step(this.words, local, this.log.dead);
      next.locals[index] = this.locals.idOf(local);
      next.logs[index] = NOTHING;
    } catch (error) {
      if (error !== STOP) throw error;
    } finally {
      globalThis.Atomics = realAtomics;
    }
    return next;
  }

  /** Goes on with the step that is under way, or begins one; with the actor's private words as they were. */
  private resume(state: State, index: number): void {
    const { memory } = state;
    const own = this.world.privateWords(index);
    const known = state.logs[index] as Log;
    const isNew = known === NOTHING;
    const before = isNew ? own.map((word) => memory.newest(word)) : known.before;
    own.forEach((word, place) => {
      memory.set(word, before[place] as number);
    });
    if (isNew && this.world.buries(index)) for (const dead of state.dead) memory.joinThread(index, dead);
    this.log = { results: [...known.results], before, dead: isNew ? [...state.dead] : known.dead };
    state.logs[index] = this.log;
    this.memory = memory;
    this.index = index;
    this.replayed = 0;
    this.done = false;
  }

  private operate(isPoint: boolean, operation: () => number): number {
    const { results } = this.log;
    if (this.replayed < results.length) return results[this.replayed++] as number;
    if (isPoint) {
      if (this.done) throw STOP;
      this.done = true;
    }
    assert.ok(results.length < MOST_OPERATIONS, 'a step has no end');
    this.replayed = results.push(operation());
    return results[this.replayed - 1] as number;
  }

  /** It may be done together with the operation before it, since others need not see it yet; but not with the next one. */
  private storePlainly(operation: () => number): void {
    this.operate(false, () => {
      this.done ||= this.world.reorders;
      return operation();
    });
  }

  private read(word: number): number {
    const { index, memory, world } = this;
    if (this.owned[index]?.has(word)) return memory.newest(word);
    if (!world.isOwn(index, word)) this.assertShared(word);
    const isPoint = world.reorders && !world.isOwn(index, word);
    return this.operate(isPoint, () => memory.read(index, word, this.choose));
  }

  private write(word: number, value: number): void {
    const { index, memory } = this;
    if (this.owned[index]?.has(word)) {
      memory.set(word, value);
      return;
    }
    this.assertShared(word);
    this.storePlainly(() => memory.write(index, word, value));
  }

  private assertShared(word: number): void {
    if (!this.shared.has(word)) throw new TypeError(`actor ${this.index} accesses word ${word} plainly`);
  }

  private readonly atomics = {
    load: (_: Int32Array, at: number) =>
      this.operate(!this.world.isOwn(this.index, at), () => this.memory.load(this.index, at, this.choose)),
    store: (_: Int32Array, at: number, value: number) =>
      this.operate(true, () => this.memory.store(this.index, at, value)),
    compareExchange: (_: Int32Array, at: number, expected: number, value: number) =>
      this.operate(true, () => this.memory.exchange(this.index, at, expected, value, this.choose)),
    exchange: (_: Int32Array, at: number, value: number) =>
      this.operate(true, () => {
        const { memory } = this;
        return memory.exchange(this.index, at, memory.newest(at), value, (count) => count - 1);
      }),
    notify: () => 0,
    wait: () => {
      throw WAITS;
    },
  } as unknown as Atomics;
}
