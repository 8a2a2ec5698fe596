import type { Memory, Shared } from './weak-memory.js';

/** A part of the modelled world: a deterministic step function. */
export interface Actor {
  /** One step, which may be stopped at any operation. Changes `local`; false: the actor has ended. */
  step(words: Int32Array, local: never, dead: readonly number[]): boolean;
}

/** Where an actor is: between two steps, or before an operation of one. The same place is the same object. */
export interface Place {
  readonly id: number;
  readonly index: number;
  /** What it knows, as it was when its step began. To be read only. */
  readonly local: never;
  /** Its private words as they were when its step began. */
  readonly own: readonly number[];
  readonly ended: boolean;
  /** Where its step began; undefined: it is between two. */
  readonly start: Place | undefined;
  /** Who was dead when its step began: a step sees no death that happens under way. */
  readonly dead: readonly number[];
  /** What the operations of its step have given. */
  readonly results: readonly number[];
  /** Undefined: it is between two steps. */
  readonly operation: Operation | undefined;
  /** Where it is next, by what its operation gives, or by who is dead when its step begins. */
  readonly next: Map<number, Place>;
}

interface Operation {
  /** May another actor go on before it? */
  readonly isPoint: boolean;
  /** May another actor go on before the next point, although this one is no point? */
  readonly endsTurn: boolean;
  readonly run: (memory: Memory) => number;
}

export interface State {
  readonly memory: Memory;
  /** By actor. */
  readonly places: readonly Place[];
  /** Actors that have died, in that order. */
  readonly dead: readonly number[];
  /** The actor that moved last, and how often one may still be interrupted while it could go on. */
  readonly last: number;
  readonly left: number;
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
  /** Words that only this actor reads and writes, without atomics. */
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
