/**
 * A model checker that runs the real protocol code. Every `Atomics` operation on a word that others write is a
 * point at which another actor may go on. An actor is a deterministic step function; to stop it in the middle, its
 * operations are logged: it is run again from the start of its step with the logged results, does one operation
 * more on the memory, and is thrown out. So all interleavings are visited; states that were seen before are cut off.
 */
export interface Actor {
  /** One step, which may be stopped at any operation. Changes `local`; false: the actor has ended. */
  step(words: Int32Array, local: never, dead: readonly number[]): boolean;
}

interface Log {
  readonly results: number[];
  /** The actor's private words as they were when its step began. */
  readonly before: readonly number[];
  /** Who was dead when its step began: a step sees no death that happens under way. */
  readonly dead: readonly number[];
}

class Stop extends Error {}

interface State {
  readonly words: Int32Array;
  /** As JSON, which makes copies and comparisons cheap. */
  readonly locals: string[];
  readonly logs: Log[];
  readonly ended: boolean[];
  /** Actors that have died, in that order. */
  readonly dead: number[];
  /** The actor that moved last, and how often one may still be interrupted while it could go on. */
  last: number;
  left: number;
}

/** What the world may do besides the actors' own steps. */
export interface World {
  readonly words: Int32Array;
  readonly actors: readonly Actor[];
  readonly locals: readonly object[];
  /** Words that may ever differ between two states. */
  readonly live: readonly number[];
  /** Words that only this actor reads and writes, without atomics: they are put back before a step is run again. */
  privateWords(index: number): readonly number[];
  /** Words that no other actor writes: reading them is no point of interest. */
  isOwn(index: number, word: number): boolean;
  /** Which actors could go on: an actor that sleeps cannot. */
  enabled(index: number, locals: readonly never[], words: Int32Array, dead: readonly number[]): boolean;
  /** May this actor die at its current operation? */
  mayDie(index: number, dead: readonly number[], locals: readonly never[]): boolean;
  /** Throws when something is wrong in a state between two operations. */
  check(locals: readonly never[]): void;
  /** Throws when nobody can go on and yet not everything is done. */
  checkEnd(locals: readonly never[], words: Int32Array): void;
}

const realAtomics = globalThis.Atomics;
const NOTHING: Log = { results: [], before: [], dead: [] };

/**
 * Visits every state that can be reached with at most so many preemptions (an actor that could go on is made to
 * wait while another one goes on; waiting for a sleeper is none). Without a bound: every state there is.
 * Returns how many there were.
 */
export function explore(world: World, preemptions = Number.POSITIVE_INFINITY): number {
  const seen = new Map<number, number>();
  const stack: State[] = [
    {
      words: world.words.slice(),
      locals: world.locals.map((local) => JSON.stringify(local)),
      logs: world.actors.map(() => NOTHING),
      ended: world.actors.map(() => false),
      dead: [],
      last: -1,
      left: preemptions,
    },
  ];
  for (let state = stack.pop(); state !== undefined; state = stack.pop()) {
    const key = keyOf(world, state, preemptions !== Number.POSITIVE_INFINITY);
    const before = seen.get(key);
    if (before !== undefined && before >= state.left) continue;
    seen.set(key, state.left);
    visit(world, state, stack);
  }
  return seen.size;
}

function visit(world: World, state: State, stack: State[]): void {
  const locals = state.locals.map((local) => JSON.parse(local) as never);
  world.check(locals);
  const canMove = (index: number): boolean =>
    state.ended[index] !== true &&
    ((state.logs[index] as Log).results.length > 0 || world.enabled(index, locals, state.words, state.dead));
  const lastCouldGoOn = state.last !== -1 && canMove(state.last);
  let moved = false;
  for (let index = 0; index < world.actors.length; index++) {
    if (canMove(index)) {
      moved = true;
      const cost = lastCouldGoOn && index !== state.last ? 1 : 0;
      if (cost <= state.left)
        stack.push({ ...advance(world, state, index), last: index, left: state.left - cost });
    }
    if (state.ended[index] !== true && world.mayDie(index, state.dead, locals)) stack.push(die(state, index));
  }
  if (!moved) world.checkEnd(locals, state.words);
}

function die(state: State, index: number): State {
  const next = copy(state);
  next.logs[index] = NOTHING;
  next.ended[index] = true;
  next.dead.push(index);
  return next;
}

/** One more operation of one actor. */
function advance(world: World, state: State, index: number): State {
  const next = copy(state);
  const log = resume(world, next, index);
  const local = JSON.parse(next.locals[index] as string) as never;
  let replayed = 0;
  let done = false;
  const operate = (word: number, isLoad: boolean, operation: () => number): number => {
    if (replayed < log.results.length) return log.results[replayed++] as number;
    const own = isLoad && world.isOwn(index, word);
    if (done && !own) throw new Stop();
    if (!own) done = true;
    replayed = log.results.push(operation());
    return log.results[replayed - 1] as number;
  };
  globalThis.Atomics = instrumented(operate);
  try {
    next.ended[index] = !(world.actors[index] as Actor).step(next.words, local, log.dead);
    next.locals[index] = JSON.stringify(local);
    next.logs[index] = NOTHING;
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
  } finally {
    globalThis.Atomics = realAtomics;
  }
  return next;
}

/** The log of the step that is under way, or of a new one; with the actor's private words as they were. */
function resume(world: World, state: State, index: number): Log {
  const own = world.privateWords(index);
  const known = state.logs[index] as Log;
  const before = known === NOTHING ? own.map((word) => state.words[word] as number) : known.before;
  own.forEach((word, place) => {
    state.words[word] = before[place] as number;
  });
  const dead = known === NOTHING ? [...state.dead] : known.dead;
  const log: Log = { results: [...known.results], before, dead };
  state.logs[index] = log;
  return log;
}

type Operate = (word: number, isLoad: boolean, operation: () => number) => number;

function instrumented(operate: Operate): Atomics {
  return {
    load: (words: Int32Array, at: number) => operate(at, true, () => words[at] as number),
    store: (words: Int32Array, at: number, value: number) =>
      operate(at, false, () => {
        words[at] = value;
        return value;
      }),
    compareExchange: (words: Int32Array, at: number, expected: number, value: number) =>
      operate(at, false, () => {
        const old = words[at] as number;
        if (old === expected) words[at] = value;
        return old;
      }),
  } as unknown as Atomics;
}

function copy(state: State): State {
  return {
    words: state.words.slice(),
    locals: [...state.locals],
    logs: [...state.logs],
    ended: [...state.ended],
    dead: [...state.dead],
    last: state.last,
    left: state.left,
  };
}

/** A 53-bit hash of everything that the future depends on. */
function keyOf(world: World, { words, locals, logs, ended, dead, last }: State, withLast: boolean): number {
  let text = `${withLast ? last : ''};${dead};`;
  for (const word of world.live) text += `${words[word]},`;
  for (let index = 0; index < locals.length; index++) {
    text += `|${locals[index]}${(logs[index] as Log).results.join()}/${(logs[index] as Log).dead}${ended[index] ? 'x' : ''}`;
  }
  let high = 0x9e3779b9;
  let low = 0x7f4a7c15;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, 0x85ebca6b);
    high = (high << 13) | (high >>> 19);
    low = Math.imul(low ^ unit, 0xc2b2ae35);
    low = (low << 15) | (low >>> 17);
  }
  return (high & 0x1fffff) * 2 ** 32 + (low >>> 0);
}
