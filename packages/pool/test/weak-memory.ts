import assert from 'node:assert/strict';

/** A word that actors access plainly while another one may access it, too. */
export interface Shared {
  readonly word: number;
  /** The actors that read it plainly. */
  readonly plain: readonly number[];
  /** The other actors that read it, by `Atomics`. */
  readonly atomic: readonly number[];
}

/** For each shared word, in the order of their list: the place of a store in the word's history. */
type View = readonly number[];

interface Store {
  readonly value: number;
  /** What whoever reads it by `Atomics` takes over; undefined: it is plain, and passes nothing on. */
  readonly view: View | undefined;
}

/** Picks one of so many values that an actor may read; 0 is the newest. */
export type Choose = (count: number) => number;

/** Takes one number more into account. */
export type Mix = (value: number) => void;

/** Which words there are. The places of the shared ones are their places in the list, the others follow. */
export class Places {
  readonly shared: readonly Shared[];
  readonly count: number;
  private readonly places: Int16Array;

  constructor(length: number, words: readonly number[], shared: readonly Shared[]) {
    this.shared = shared;
    this.places = new Int16Array(length).fill(-1);
    const all = new Set([...shared.map(({ word }) => word), ...words]);
    this.count = all.size;
    [...all].forEach((word, place) => {
      this.places[word] = place;
    });
  }

  of(word: number): number {
    const place = this.places[word] as number;
    if (place === -1) throw new TypeError(`word ${word} is not among those that the world names`);
    return place;
  }
}

/**
 * The memory of the modelled world, as weak as ARM64 and the JavaScript memory model let it be.
 *
 * A shared word has a history, because others may see a plain store late, stores to different words in any order, and a
 * plain load may have been done before its turn. Each actor has a view: the oldest store of each such word that it may
 * still read. A store by `Atomics`, and a compareExchange that succeeds, passes its writer's view on with the value;
 * whoever reads that value by `Atomics` takes the view over. That is happens-before. A load by `Atomics` reads nothing
 * that is older than the newest value which was stored by `Atomics`.
 *
 * All other words are accessed by `Atomics` alone, or by one actor alone: they have one value.
 */
export class Memory {
  private readonly places: Places;
  /** The newest values, by place. */
  private readonly values: number[];
  /** By place, of shared words. */
  private readonly histories: (readonly Store[])[];
  /** By actor. */
  private readonly views: View[];
  /** By place, of the other words: what the last store by `Atomics` passes on. */
  private readonly passed: (View | undefined)[];

  private constructor(
    places: Places,
    values: number[],
    histories: (readonly Store[])[],
    views: View[],
    passed: (View | undefined)[],
  ) {
    this.places = places;
    this.values = values;
    this.histories = histories;
    this.views = views;
    this.passed = passed;
  }

  /** All words are 0. */
  static of(places: Places, actors: number): Memory {
    const { shared, count } = places;
    const histories = shared.map(() => [{ value: 0, view: undefined }]);
    const views = Array.from({ length: actors }, () => shared.map(() => 0));
    return new Memory(places, new Array(count).fill(0), histories, views, new Array(count).fill(undefined));
  }

  copy(): Memory {
    const { places, values, histories, views, passed } = this;
    const all = values.slice();
    if (places.shared.length === 0) return new Memory(places, all, histories, views, passed);
    return new Memory(places, all, histories.slice(), views.slice(), passed.slice());
  }

  /** The newest value of a word. */
  newest(word: number): number {
    return this.values[this.places.of(word)] as number;
  }

  /** The same by its place. */
  at(place: number): number {
    return this.values[place] as number;
  }

  /** Sets a word that one actor alone accesses. */
  set(word: number, value: number): void {
    this.values[this.places.of(word)] = value;
  }

  /** A plain load. */
  read(actor: number, word: number, choose: Choose): number {
    const place = this.places.of(word);
    if (place >= this.histories.length) return this.values[place] as number;
    return this.see(actor, place, this.viewOf(actor)[place] as number, choose).value;
  }

  /** A plain store. */
  write(actor: number, word: number, value: number): number {
    return this.append(actor, word, value, false);
  }

  /** `Atomics.load` */
  load(actor: number, word: number, choose: Choose): number {
    const place = this.places.of(word);
    if (place >= this.histories.length) {
      this.join(actor, this.passed[place]);
      return this.values[place] as number;
    }
    const first = Math.max(this.viewOf(actor)[place] as number, this.newestAtomic(place));
    const store = this.see(actor, place, first, choose);
    this.join(actor, store.view);
    return store.value;
  }

  /** `Atomics.store` */
  store(actor: number, word: number, value: number): number {
    return this.append(actor, word, value, true);
  }

  /** `Atomics.compareExchange` */
  exchange(actor: number, word: number, expected: number, value: number, choose: Choose): number {
    const old = this.load(actor, word, choose);
    if (old !== expected) return old;
    const place = this.places.of(word);
    const isNewest = place >= this.histories.length || this.viewOf(actor)[place] === this.lastOf(place);
    assert.ok(isNewest, 'a compareExchange succeeds on a value that a plain store is about to overwrite');
    this.append(actor, word, value, true);
    return old;
  }

  /** The actor knows of all that the other one has done: that one's thread has exited. */
  joinThread(actor: number, other: number): void {
    this.join(actor, this.views[other]);
  }

  /** All that makes a difference to what may be read from now on, beside the newest values. */
  mixInto(mix: Mix): void {
    const { histories, views, passed } = this;
    const places: number[] = [];
    const first: number[] = [];
    for (let place = 0; place < histories.length; place++) {
      const oldest = this.oldest(place);
      if (oldest === this.lastOf(place)) continue;
      places.push(place);
      first.push(oldest);
    }
    if (places.length === 0) return;
    const mixView = (view: View | undefined): void => {
      for (let at = 0; at < places.length; at++) {
        const seen = view === undefined ? -1 : (view[places[at] as number] as number) - (first[at] as number);
        mix(Math.max(view === undefined ? -1 : 0, seen));
      }
    };
    for (let at = 0; at < places.length; at++) {
      mix(places[at] as number);
      for (const { value, view } of (histories[places[at] as number] as readonly Store[]).slice(first[at])) {
        mix(value);
        mixView(view);
      }
    }
    for (const view of views) mixView(view);
    for (const view of passed) mixView(view);
  }

  private viewOf(actor: number): View {
    return this.views[actor] as View;
  }

  private lastOf(place: number): number {
    return (this.histories[place] as readonly Store[]).length - 1;
  }

  private newestAtomic(place: number): number {
    const history = this.histories[place] as readonly Store[];
    let at = history.length - 1;
    while (at > 0 && (history[at] as Store).view === undefined) at--;
    return at;
  }

  /** The oldest store that anybody may still read. */
  private oldest(place: number): number {
    const { plain, atomic } = this.places.shared[place] as Shared;
    let oldest = this.lastOf(place);
    for (const actor of plain) oldest = Math.min(oldest, this.viewOf(actor)[place] as number);
    if (atomic.length === 0 || oldest === 0) return oldest;
    const newestAtomic = this.newestAtomic(place);
    for (const actor of atomic)
      oldest = Math.min(oldest, Math.max(newestAtomic, this.viewOf(actor)[place] as number));
    return oldest;
  }

  private see(actor: number, place: number, first: number, choose: Choose): Store {
    const last = this.lastOf(place);
    const at = last - choose(last - first + 1);
    this.raise(actor, place, at);
    return (this.histories[place] as readonly Store[])[at] as Store;
  }

  private append(actor: number, word: number, value: number, isAtomic: boolean): number {
    const { histories, passed } = this;
    const place = this.places.of(word);
    this.values[place] = value;
    if (histories.length === 0) return value;
    if (place >= histories.length) {
      passed[place] = this.viewOf(actor);
      return value;
    }
    const history = histories[place] as readonly Store[];
    this.raise(actor, place, history.length);
    histories[place] = [...history, { value, view: isAtomic ? this.viewOf(actor) : undefined }];
    return value;
  }

  private raise(actor: number, place: number, to: number): void {
    const view = this.viewOf(actor);
    if (view[place] !== to) this.views[actor] = view.with(place, to);
  }

  private join(actor: number, other: View | undefined): void {
    const own = this.viewOf(actor);
    if (other === undefined || other === own) return;
    if (other.some((at, place) => at > (own[place] as number)))
      this.views[actor] = own.map((at, place) => Math.max(at, other[place] as number));
  }
}
