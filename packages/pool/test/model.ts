import { Actors } from './model-actors.js';
import { Seen } from './model-seen.js';
import type { Place, State, World } from './model-state.js';
import { Memory, Places } from './weak-memory.js';

/**
 * A model checker that runs the real protocol code. Every `Atomics` operation on a word that others write is a
 * point at which another actor may go on. An actor is a deterministic step function; to stop it in the middle, it is
 * thrown out: it is run again from the start of its step with the results of its operations so far. So all
 * interleavings are visited; states that were seen before are cut off.
 *
 * Plain accesses to words that others access are operations, too. By default they see the newest values, as if all
 * were sequentially consistent; a world that `reorders` gives them every value that `Memory` allows.
 *
 * Visits every state that can be reached with at most so many preemptions (an actor that could go on is made to
 * wait while another one goes on; waiting for a sleeper is none). Without a bound: every state there is.
 * Returns how many there were.
 */
export function explore(world: World, preemptions = Number.POSITIVE_INFINITY): number {
  return new Exploration(world, preemptions).run();
}

/** Of one state, its histories and views included. */
const MOST_NUMBERS = 2 ** 12;

class Exploration {
  private readonly world: World;
  private readonly preemptions: number;
  private readonly actors: Actors;
  private readonly livePlaces: readonly number[];
  private readonly stack: State[] = [];
  private readonly seen = new Seen();
  /** The numbers of the state that is hashed, and how many there are. */
  private readonly numbers = new Int32Array(MOST_NUMBERS);
  private count = 0;

  constructor(world: World, preemptions: number) {
    this.world = world;
    this.preemptions = preemptions;
    this.actors = new Actors(world);
    const own = world.actors.flatMap((_, index) => world.privateWords(index));
    const words = [...world.live, ...own, ...world.shared.map(({ word }) => word)];
    const places = new Places(world.length, words, world.reorders ? world.shared : []);
    this.livePlaces = world.live.map((word) => places.of(word));
    this.reach({
      memory: Memory.of(places, world.actors.length),
      places: world.actors.map((_, index) => this.actors.first(index)),
      dead: [],
      last: -1,
      left: preemptions,
    });
  }

  run(): number {
    for (let state = this.stack.pop(); state !== undefined; state = this.stack.pop()) this.visit(state);
    return this.seen.size;
  }

  private visit(state: State): void {
    const { world } = this;
    const { places, dead, last, left, memory } = state;
    const locals = places.map(({ local }) => local);
    world.check(locals);
    const newest = (word: number): number => memory.newest(word);
    const canMove = (index: number): boolean => {
      const { ended, operation } = places[index] as Place;
      if (ended || dead.includes(index)) return false;
      return operation !== undefined || world.enabled(index, locals, newest, dead);
    };
    const lastCouldGoOn = last !== -1 && canMove(last);
    let moved = false;
    for (let index = 0; index < places.length; index++) {
      if (index === last ? lastCouldGoOn : canMove(index)) {
        moved = true;
        const cost = lastCouldGoOn && index !== last ? 1 : 0;
        if (cost <= left) this.actors.advance(state, index, left - cost, this.reach);
      }
      const isAlive = !(places[index] as Place).ended && !dead.includes(index);
      if (isAlive && world.mayDie(index, dead, locals)) this.reach(die(state, index));
    }
    if (!moved) world.checkEnd(locals, newest);
  }

  private readonly reach = (state: State): void => {
    this.count = 0;
    this.note(this.preemptions === Number.POSITIVE_INFINITY ? -1 : state.last);
    this.note(state.dead.length);
    for (const index of state.dead) this.note(index);
    for (const { id } of state.places) this.note(id);
    for (const place of this.livePlaces) this.note(state.memory.at(place));
    state.memory.mixInto(this.note);
    if (this.isNew(state.left)) this.stack.push(state);
  };

  /** Takes a number into account: everything that the future depends on. */
  private readonly note = (value: number): void => {
    if (this.count === MOST_NUMBERS) throw new RangeError('a state has too many numbers');
    this.numbers[this.count++] = value;
  };

  private isNew(left: number): boolean {
    let high = 0x9e3779b9;
    let low = 0x7f4a7c15;
    for (let at = 0; at < this.count; at++) {
      const value = this.numbers[at] as number;
      high = Math.imul(high ^ value, 0x85ebca6b);
      high = (high << 13) | (high >>> 19);
      low = Math.imul(low ^ value, 0xc2b2ae35);
      low = (low << 15) | (low >>> 17);
    }
    return this.seen.add(high | 0, low | 0, left);
  }
}

/** Its step is not gone on with. */
function die({ memory, places, dead, last, left }: State, index: number): State {
  const place = places[index] as Place;
  const next = places.with(index, place.start ?? place);
  return { memory, places: next, dead: [...dead, index], last, left };
}
