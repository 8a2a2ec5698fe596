import type { Memory, Shared } from './weak-memory.js';

/** A part of the modelled world: a deterministic step function. */
export interface Actor {
  /** One step, which may be stopped at any operation. Changes `local`; false: the actor has ended. */
  step(words: Int32Array, local: never, dead: readonly number[]): boolean;
}

export interface Log {
  readonly results: number[];
  /** The actor's private words as they were when its step began. */
  readonly before: readonly number[];
  /** Who was dead when its step began: a step sees no death that happens under way. */
  readonly dead: readonly number[];
}

export interface State {
  readonly memory: Memory;
  /** As numbers that `Locals` knows. */
  readonly locals: number[];
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
  /** How many words there are. */
  readonly length: number;
  readonly actors: readonly Actor[];
  readonly locals: readonly object[];
  /** Words that may ever differ between two states. */
  readonly live: readonly number[];
  /** Words that are accessed plainly while others may access them. */
  readonly shared: readonly Shared[];
  /** May plain accesses to those be reordered? */
  readonly reorders: boolean;
  /** Words that only this actor reads and writes, without atomics: they are put back before a step is run again. */
  privateWords(index: number): readonly number[];
  /** Words that no other actor writes: reading them is no point of interest. */
  isOwn(index: number, word: number): boolean;
  /** Which actors could go on: an actor that sleeps cannot. */
  enabled(index: number, locals: readonly never[], newest: Newest, dead: readonly number[]): boolean;
  /** May this actor die at its current operation? */
  mayDie(index: number, dead: readonly number[], locals: readonly never[]): boolean;
  /** Does it wait for the threads of the dead before it looks after them? */
  buries(index: number): boolean;
  /** Throws when something is wrong in a state between two operations. */
  check(locals: readonly never[]): void;
  /** Throws when nobody can go on and yet not everything is done. */
  checkEnd(locals: readonly never[], newest: Newest): void;
}

/** The newest value of a word. */
export type Newest = (word: number) => number;

/** Of an actor that is between two steps. */
export const NOTHING: Log = { results: [], before: [], dead: [] };

/** What actors know, each different one by a number: that makes copies and comparisons cheap. */
export class Locals {
  private readonly ids = new Map<string, number>();
  private readonly texts: string[] = [];
  private readonly values: never[] = [];

  idOf(local: object): number {
    const text = JSON.stringify(local);
    const known = this.ids.get(text);
    if (known !== undefined) return known;
    this.ids.set(text, this.texts.length);
    this.values.push(JSON.parse(text) as never);
    return this.texts.push(text) - 1;
  }

  /** To be read only. */
  of(id: number): never {
    return this.values[id] as never;
  }

  /** To be changed. */
  copyOf(id: number): never {
    return JSON.parse(this.texts[id] as string) as never;
  }
}

export function copy(state: State): State {
  return {
    memory: state.memory.copy(),
    locals: [...state.locals],
    logs: [...state.logs],
    ended: [...state.ended],
    dead: [...state.dead],
    last: state.last,
    left: state.left,
  };
}
