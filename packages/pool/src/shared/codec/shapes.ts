import { hasInside } from './inside.js';

export interface Shape {
  readonly names: readonly string[];
  /** Has no keys, or an index first, like most objects that only seem plain. */
  readonly indexed: boolean;
  /** Known to both sides, so that only values travel; -1 if the shape has no number. */
  readonly number: number;
}

/** Called before a number is used for the first time. */
export type Announce = (number: number, names: readonly string[]) => void;

/** Sightings after which a shape gets a number. Dictionaries, whose keys are data, rarely repeat that often. */
const WORTH_A_NUMBER = 4;
const MOST_NUMBERS = 1024;
/** Keys of all numbered shapes together. */
const MOST_NAMES = 2 ** 16;
/** Keys in the tree for shapes without number. */
const MOST_STEPS = 4096;
/** Shapes with more keys are not in the tree, but in a Map of up to MOST_WIDE shapes. */
const NARROW = 64;
const MOST_WIDE = 32;
/** V8 keeps objects with more keys as dictionaries. */
const MOST_KEYS = 1020;

class Step {
  shape: Shape | undefined;
  sightings = 0;
  readonly following = new Map<string, Step>();
}

export class Shapes {
  #root = new Step();
  #room = MOST_STEPS;
  #names = MOST_NAMES;
  readonly #wide = new Map<string, Step>();
  readonly #numbered: Shape[] = [];
  /** The last numbered shape at each depth: objects of the same depth mostly have the same shape. */
  readonly #guesses: Shape[] = [];
  readonly #announce: Announce | undefined;

  constructor(announce: Announce | undefined) {
    this.#announce = announce;
  }

  guess(depth: number): Shape {
    return this.#guesses[depth] ?? EMPTY;
  }

  /** Returns undefined if the object only seems plain. */
  of(value: object, names: readonly string[], depth: number): Shape | undefined {
    const step = names.length > NARROW ? this.#wideStep(names) : this.#stepTo(names);
    const shape = step?.shape ?? shapeOf(names, -1);
    // This check is slow. Objects that only seem plain rarely have keys, and never those of numbered shapes.
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

  /** For many keys, walking down the tree would take longer than writing the object. */
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
    // Announced first: this may throw, and the reader must know every number in use.
    this.#announce(number, names);
    step.shape = shapeOf(names, number);
    this.#numbered.push(step.shape);
    this.#names -= names.length;
  }

  /** Clears the tree, except for shapes with numbers. */
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
