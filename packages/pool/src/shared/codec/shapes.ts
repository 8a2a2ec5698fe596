import { hasInside } from './inside.js';

/** What objects with the same keys in the same order have in common. */
export interface Shape {
  readonly names: readonly string[];
  /** No keys, or an index for the first: what is no plain object, in spite of its prototype, mostly looks like this. */
  readonly indexed: boolean;
  /** What both sides call it, so that only the values travel; -1: it has no number. */
  readonly number: number;
}

/** Told before a number is used for the first time. */
export type Announce = (number: number, names: readonly string[]) => void;

/** Shapes that were met so often get numbers. Dictionaries, whose keys are data, hardly ever come to it. */
const WORTH_A_NUMBER = 4;
const MOST_NUMBERS = 1024;
const MOST_KEYS = 64;
/** Keys that are remembered of shapes without a number. */
const MOST_STEPS = 4096;

/** A place in the tree of all sequences of keys. */
class Step {
  shape: Shape | undefined;
  sightings = 0;
  readonly following = new Map<string, Step>();
}

/** The shapes of an encoder. */
export class Shapes {
  #root = new Step();
  #room = MOST_STEPS;
  readonly #numbered: Shape[] = [];
  /** The last shape with a number, by depth: what is nested alike mostly looks alike. */
  readonly #guesses: Shape[] = [];
  readonly #announce: Announce | undefined;

  constructor(announce: Announce | undefined) {
    this.#announce = announce;
  }

  /** What an object at this depth of a message probably looks like. */
  guess(depth: number): Shape {
    return this.#guesses[depth] ?? EMPTY;
  }

  /** The shape of an object with these keys at this depth; undefined: it only seems to be plain. */
  of(value: object, names: readonly string[], depth: number): Shape | undefined {
    const step = names.length > MOST_KEYS ? undefined : this.#stepTo(names);
    const known = step?.shape ?? shapeOf(names, -1);
    // To look costs more than all the rest. What is none has hardly ever keys, and never those of many that are.
    if ((known.number === -1 || known.indexed) && hasInside(value)) return undefined;
    if (step === undefined) return known;
    step.shape = known;
    if (known.number === -1 && ++step.sightings === WORTH_A_NUMBER) this.#number(step, names);
    if (step.shape.number !== -1 && !known.indexed) this.#guesses[depth] = step.shape;
    return step.shape;
  }

  #stepTo(names: readonly string[]): Step | undefined {
    let step = this.#root;
    for (const name of names) {
      let next = step.following.get(name);
      if (next === undefined) {
        if (this.#room-- <= 0) return this.#forget();
        next = new Step();
        step.following.set(name, next);
      }
      step = next;
    }
    return step;
  }

  #number(step: Step, names: readonly string[]): void {
    const number = this.#numbered.length;
    if (this.#announce === undefined || number === MOST_NUMBERS) return;
    // First, because it may throw, and the reader must know every number that is used.
    this.#announce(number, names);
    step.shape = shapeOf(names, number);
    this.#numbered.push(step.shape);
  }

  /** Makes room for other shapes than those that came once or twice. */
  #forget(): undefined {
    this.#room = Number.POSITIVE_INFINITY;
    this.#root = new Step();
    for (const shape of this.#numbered) (this.#stepTo(shape.names) as Step).shape = shape;
    this.#room = MOST_STEPS;
  }
}

function shapeOf(names: readonly string[], number: number): Shape {
  return { names, number, indexed: names.length === 0 || /^\d/.test(names[0] as string) };
}

const EMPTY = shapeOf([], -1);
