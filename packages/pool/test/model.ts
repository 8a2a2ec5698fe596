import { Actors } from './model-actors.js';
import { copy, Locals, type Log, NOTHING, type State, type World } from './model-state.js';
import { Memory, Places } from './weak-memory.js';

/**
 * A model checker that runs the real protocol code. Every `Atomics` operation on a word that others write is a
 * point at which another actor may go on. An actor is a deterministic step function; to stop it in the middle, its
 * operations are logged: it is run again from the start of its step with the logged results, does one operation
 * more on the memory, and is thrown out. So all interleavings are visited; states that were seen before are cut off.
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

class Exploration {
  private readonly world: World;
  private readonly preemptions: number;
  private readonly locals = new Locals();
  private readonly actors: Actors;
  private readonly livePlaces: readonly number[];
  private readonly stack: State[];

  constructor(world: World, preemptions: number) {
    this.world = world;
    this.preemptions = preemptions;
    this.actors = new Actors(world, this.locals);
    const own = world.actors.flatMap((_, index) => world.privateWords(index));
    const words = [...world.live, ...own, ...world.shared.map(({ word }) => word)];
    const places = new Places(world.length, words, world.reorders ? world.shared : []);
    this.livePlaces = world.live.map((word) => places.of(word));
    this.stack = [
      {
        memory: Memory.of(places, world.actors.length),
        locals: world.locals.map((local) => this.locals.idOf(local)),
        logs: world.actors.map(() => NOTHING),
        ended: world.actors.map(() => false),
        dead: [],
        last: -1,
        left: preemptions,
      },
    ];
  }

  run(): number {
    const { stack } = this;
    const seen = new Map<number, number>();
    for (let state = stack.pop(); state !== undefined; state = stack.pop()) {
      const key = this.keyOf(state);
      const before = seen.get(key);
      if (before !== undefined && before >= state.left) continue;
      seen.set(key, state.left);
      this.visit(state);
    }
    return seen.size;
  }

  private visit(state: State): void {
    const { world, stack } = this;
    const locals = state.locals.map((id) => this.locals.of(id));
    world.check(locals);
    const newest = (word: number): number => state.memory.newest(word);
    const canMove = (index: number): boolean =>
      state.ended[index] !== true &&
      ((state.logs[index] as Log).results.length > 0 || world.enabled(index, locals, newest, state.dead));
    const lastCouldGoOn = state.last !== -1 && canMove(state.last);
    let moved = false;
    for (let index = 0; index < world.actors.length; index++) {
      if (canMove(index)) {
        moved = true;
        const cost = lastCouldGoOn && index !== state.last ? 1 : 0;
        if (cost <= state.left) this.actors.advance(state, index, state.left - cost, stack);
      }
      if (state.ended[index] !== true && world.mayDie(index, state.dead, locals))
        stack.push(die(state, index));
    }
    if (!moved) world.checkEnd(locals, newest);
  }

  /** A 53-bit hash of everything that the future depends on. */
  private keyOf({ memory, locals, logs, ended, dead, last }: State): number {
    let high = 0x9e3779b9;
    let low = 0x7f4a7c15;
    const mix = (value: number): void => {
      high = Math.imul(high ^ value, 0x85ebca6b);
      high = (high << 13) | (high >>> 19);
      low = Math.imul(low ^ value, 0xc2b2ae35);
      low = (low << 15) | (low >>> 17);
    };
    const mixAll = (values: readonly number[]): void => {
      mix(values.length);
      for (const value of values) mix(value);
    };
    if (this.preemptions !== Number.POSITIVE_INFINITY) mix(last);
    mixAll(dead);
    for (const place of this.livePlaces) mix(memory.at(place));
    for (let index = 0; index < locals.length; index++) {
      const { results, dead: known } = logs[index] as Log;
      mix(locals[index] as number);
      mixAll(results);
      mixAll(known);
      mix(ended[index] === true ? 1 : 0);
    }
    memory.mixInto(mix);
    return (high & 0x1fffff) * 2 ** 32 + (low >>> 0);
  }
}

function die(state: State, index: number): State {
  const next = copy(state);
  next.logs[index] = NOTHING;
  next.ended[index] = true;
  next.dead.push(index);
  return next;
}
