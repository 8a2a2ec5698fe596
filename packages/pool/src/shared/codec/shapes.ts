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
/** Keys of all shapes with numbers. */
const MOST_NAMES = 2 ** 16;
/** Keys that are remembered of shapes without a number. */
const MOST_STEPS = 4096;
/** Shapes with more keys than NARROW are not in the tree, but so many of them among the wide ones. */
const NARROW = 64;
const MOST_WIDE = 32;
/** As many as V8 gives an object that is not kept as a dictionary. */
const MOST_KEYS = 1020;

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
  #names = MOST_NAMES;
  readonly #wide = new Map<string, Step>();
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
    const step = names.length > NARROW ? this.#wideStep(names) : this.#stepTo(names);
    const shape = step?.shape ?? shapeOf(names, -1);
    // To look costs more than all the rest. What is none has hardly ever keys, and never those of many that are.
    if ((shape.number === -1 || shape.indexed) && hasInside(value)) return undefined;
    if (step === undefined) return shape;
    step.shape = shape;
    if (shape.number === -1 && ++step.sightings === WORTH_A_NUMBER) this.#number(step, names);
    if (step.shape.number !== -1 && !shape.indexed) this.#guesses[depth] = step.shape;
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

  /** To go down the tree would take longer than to write the object. */
  #wideStep(names: readonly string[]): Step | undefined {
    if (names.length > MOST_KEYS) return undefined;
    const key = `${names.length} ${names[0]} ${names.at(-1)}`;
    const shape = this.#wide.get(key);
    const expected = shape?.shape?.names;
    if (expected !== undefined && names.every((name, place) => name === expected[place])) return shape;
    if (this.#wide.size === MOST_WIDE) this.#forgetWide();
    const step = new Step();
    this.#wide.set(key, step);
    return step;
  }

  #forgetWide(): void {
    for (const [key, { shape }] of this.#wide) if (shape?.number === -1) this.#wide.delete(key);
    if (this.#wide.size === MOST_WIDE) this.#wide.clear();
  }

  #number(step: Step, names: readonly string[]): void {
    const number = this.#numbered.length;
    if (this.#announce === undefined || number === MOST_NUMBERS || names.length > this.#names) return;
    // First, because it may throw, and the reader must know every number that is used.
    this.#announce(number, names);
    step.shape = shapeOf(names, number);
    this.#numbered.push(step.shape);
    this.#names -= names.length;
  }

  /** Makes room for other shapes than those that came once or twice. */
  #forget(): undefined {
    this.#room = Number.POSITIVE_INFINITY;
    this.#root = new Step();
    for (const shape of this.#numbered)
      if (shape.names.length <= NARROW) (this.#stepTo(shape.names) as Step).shape = shape;
    this.#room = MOST_STEPS;
  }
}

function shapeOf(names: readonly string[], number: number): Shape {
  return { names, number, indexed: names.length === 0 || /^\d/.test(names[0] as string) };
}

const EMPTY = shapeOf([], -1);
