import assert from 'node:assert/strict';
import type { Actor, Place, State, World } from './model-state.js';

class Stop extends Error {}

/** Of one step: more is a loop in which it waits for others. */
const MOST_OPERATIONS = 200;

/** One for all: to note where an error was thrown takes longer than a step. */
const STOP = new Stop();

/** Thrown by `Atomics.wait`: the step is over, and the next one looks again. */
export const WAITS = new Stop();

const realAtomics = globalThis.Atomics;

type Operation = NonNullable<Place['operation']>;

/**
 * Runs one operation after another, each with every value that it may read. An actor's code is run once for each row of results
 * that its operations may give: what it does after them is kept, and only its operations are done again in other states.
 */
export class Actors {
  private readonly world: World;
  /** The words as an actor sees them: its plain accesses are noticed. */
  private readonly words: Int32Array;
  private readonly shared: ReadonlySet<number>;
  private readonly live: ReadonlySet<number>;
  private readonly starts = new Map<string, Place>();
  private count = 0;
  /** Of the run that is under way: whose it is, its private words, and what its operations have given. */
  private index = 0;
  private own: Map<number, number> = new Map();
  private results: readonly number[] = [];
  private replayed = 0;
  private operation: Operation | undefined;
  /** Which of how many values each load of this operation has read. */
  private readonly picks: { taken: number; readonly count: number }[] = [];
  private picked = 0;

  constructor(world: World) {
    this.world = world;
    this.shared = new Set(world.shared.map(({ word }) => word));
    this.live = new Set(world.live);
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

  /** Where an actor begins: all its words are 0. */
  first(index: number): Place {
    const own = this.world.privateWords(index).map(() => 0);
    return this.between(index, this.world.locals[index] as object, own, false);
  }

  /** Gives every state that one more operation of an actor may lead to. */
  advance(state: State, index: number, left: number, give: (next: State) => void): void {
    this.picks.length = 0;
    do {
      this.picked = 0;
      give(this.moved(state, index, left));
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

  /** Up to the next point at which others may go on, or to the end of the step. */
  private moved(state: State, index: number, left: number): State {
    const memory = state.memory.copy();
    let place = state.places[index] as Place;
    if (place.operation === undefined) {
      if (this.world.buries(index)) for (const dead of state.dead) memory.joinThread(index, dead);
      place = this.begun(place, state.dead);
    }
    let done = false;
    for (let { operation } = place; operation !== undefined; operation = place.operation) {
      if (operation.isPoint && done) break;
      const result = operation.run(memory);
      done ||= operation.isPoint || operation.endsTurn;
      place = this.after(place, result);
    }
    if (place.operation === undefined) {
      this.world.privateWords(index).forEach((word, at) => {
        memory.set(word, place.own[at] as number);
      });
    }
    const places = state.places.slice();
    places[index] = place;
    return { memory, places, dead: state.dead, last: index, left };
  }

  private begun(start: Place, dead: readonly number[]): Place {
    const code = dead.reduce((sum, other) => sum * 8 + other + 1, 0);
    return start.next.get(code) ?? this.run(start, code, start, dead, []);
  }

  private after(place: Place, result: number): Place {
    const next = place.next.get(result);
    return next ?? this.run(place, result, place.start ?? place, place.dead, [...place.results, result]);
  }

  /** Runs a step from its start, with what its operations have given so far, to its next operation. */
  private run(
    from: Place,
    by: number,
    start: Place,
    dead: readonly number[],
    results: readonly number[],
  ): Place {
    const { index } = start;
    const local = structuredClone(start.local);
    this.index = index;
    this.own = new Map(this.world.privateWords(index).map((word, at) => [word, start.own[at] as number]));
    this.results = results;
    this.replayed = 0;
    let next: Place;
    globalThis.Atomics = this.atomics;
    try {
      const goesOn = (this.world.actors[index] as Actor).step(this.words, local, dead);
      next = this.between(index, local, [...this.own.values()], !goesOn);
    } catch (error) {
      if (error !== STOP) throw error;
      next = { ...start, id: this.count++, start, dead, results, operation: this.operation, next: new Map() };
    } finally {
      globalThis.Atomics = realAtomics;
    }
    from.next.set(by, next);
    return next;
  }

  /** Between two steps. A private word that is not live is forgotten: nothing may come of it. */
  private between(index: number, local: object, own: readonly number[], ended: boolean): Place {
    const words = this.world.privateWords(index);
    const kept = own.map((value, at) => (this.live.has(words[at] as number) ? value : 0));
    const text = `${index} ${ended} ${kept} ${JSON.stringify(local)}`;
    const known = this.starts.get(text);
    if (known !== undefined) return known;
    const place: Place = {
      id: this.count++,
      index,
      local: local as never,
      own: kept,
      ended,
      start: undefined,
      dead: [],
      results: [],
      operation: undefined,
      next: new Map(),
    };
    this.starts.set(text, place);
    return place;
  }

  private operate(isPoint: boolean, run: Operation['run'], endsTurn = false): number {
    if (this.replayed < this.results.length) return this.results[this.replayed++] as number;
    assert.ok(this.results.length < MOST_OPERATIONS, 'a step has no end');
    this.operation = { isPoint, endsTurn, run };
    throw STOP;
  }

  private read(word: number): number {
    const { index, world } = this;
    const own = this.own.get(word);
    if (own !== undefined) return own;
    if (!world.isOwn(index, word)) this.assertShared(word);
    const isPoint = world.reorders && !world.isOwn(index, word);
    return this.operate(isPoint, (memory) => memory.read(index, word, this.choose));
  }

  /** It may be done together with the operation before it, since others need not see it yet; but not with the next one. */
  private write(word: number, value: number): void {
    const { index } = this;
    if (this.own.has(word)) {
      this.own.set(word, value);
      return;
    }
    this.assertShared(word);
    this.operate(false, (memory) => memory.write(index, word, value), this.world.reorders);
  }

  private assertShared(word: number): void {
    if (!this.shared.has(word)) throw new TypeError(`actor ${this.index} accesses word ${word} plainly`);
  }

  private readonly atomics = {
    load: (_: Int32Array, at: number) => {
      const { index } = this;
      return this.operate(!this.world.isOwn(index, at), (memory) => memory.load(index, at, this.choose));
    },
    store: (_: Int32Array, at: number, value: number) => {
      const { index } = this;
      return this.operate(true, (memory) => memory.store(index, at, value));
    },
    compareExchange: (_: Int32Array, at: number, expected: number, value: number) => {
      const { index } = this;
      return this.operate(true, (memory) => memory.exchange(index, at, expected, value, this.choose));
    },
    exchange: (_: Int32Array, at: number, value: number) => {
      const { index } = this;
      return this.operate(true, (memory) =>
        memory.exchange(index, at, memory.newest(at), value, (count) => count - 1),
      );
    },
    notify: () => 0,
    wait: () => {
      throw WAITS;
    },
  } as unknown as Atomics;
}
