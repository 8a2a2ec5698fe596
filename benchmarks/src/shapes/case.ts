import { isDeepStrictEqual } from 'node:util';
import type { Case, Lab, Metric } from '../cases/case.js';
import type { OpenPool } from '../contenders/contender.js';
import type { ContenderName } from '../contenders/contenders.js';
import { expect } from '../support/expect.js';
import { type Sustained, sustain } from '../support/sustain.js';
import { order } from './carry.js';
import { inFlightOf, SHAPES, type Shape, sizeOf } from './shapes.js';

export const RIVALS: readonly ContenderName[] = ['plimsoll', 'piscina', 'tinypool', 'bare'];

/** A task takes longer than reading the clock, by far. */
const LARGE_BYTES = 4096;
/** What is larger is not compared byte by byte. */
const MOST_COMPARED = 32 * 2 ** 20;

/** V8 compiles what has run so often; large values would take too long to get there. */
const WARM_TASKS = 4000;
const MOST_WARM_MS = 1000;

export const CONDITIONS = [
  { id: 'in-one', title: 'in, one', isIn: true, isOne: true },
  { id: 'in-many', title: 'in, many', isIn: true, isOne: false },
  { id: 'out-one', title: 'out, one', isIn: false, isOne: true },
  { id: 'out-many', title: 'out, many', isIn: false, isOne: false },
] as const;

const METRICS: readonly Metric[] = [
  ...CONDITIONS.map(({ id, title }) => ({
    id,
    title: `${title}: tasks/s`,
    better: 'more' as const,
    digits: 0,
  })),
  ...CONDITIONS.map(({ id, title }) => ({
    id: `${id}-cpu`,
    title: `${title}: CPU µs/task`,
    better: 'less' as const,
    digits: 1,
  })),
];

/** One shape: its four conditions in turn, by a process that stays for four runs. */
function shapeCase(shape: Shape): Case {
  let carrier: Promise<Carrier> | undefined;
  return {
    name: `shapes/${shape.name}`,
    title: shape.title,
    description: `One and ${inFlightOf(shape)} in flight.`,
    contenders: RIVALS,
    metrics: METRICS,
    targets: [],
    runsPerProcess: 4,
    expectedMs: { full: 650, quick: 250, smoke: 200 },
    async measure(lab) {
      carrier ??= Carrier.open(lab, shape);
      return (await carrier).measure(lab.effort);
    },
  };
}

class Carrier {
  readonly #pool: OpenPool;
  readonly #shape: Shape;
  readonly #value: unknown;

  private constructor(pool: OpenPool, shape: Shape) {
    this.#pool = pool;
    this.#shape = shape;
    this.#value = shape.make();
  }

  /** A pool of two workers that carries the shape as it should, and whose code is compiled. */
  static async open({ open, effort }: Lab, shape: Shape): Promise<Carrier> {
    const carrier = new Carrier(open({ task: 'carry', threads: 2 }), shape);
    await carrier.#verify();
    const ms = { full: 350, quick: 40, smoke: 1 }[effort];
    // Most tasks first: they compile it soonest.
    for (const condition of CONDITIONS.toReversed()) {
      const { tasksPerSecond } = await carrier.#sustain(condition, ms);
      const missing = (1000 * WARM_TASKS) / tasksPerSecond - ms;
      if (effort === 'full' && missing > 0)
        await carrier.#sustain(condition, Math.min(missing, MOST_WARM_MS));
    }
    return carrier;
  }

  async measure(effort: Lab['effort']): Promise<Record<string, number>> {
    const metrics: Record<string, number> = {};
    for (const condition of CONDITIONS) {
      const ms = { full: 30, quick: 15, smoke: 1 }[effort];
      const { tasksPerSecond, cpuUsPerTask } = await this.#sustain(condition, ms);
      metrics[condition.id] = tasksPerSecond;
      metrics[`${condition.id}-cpu`] = cpuUsPerTask;
    }
    return metrics;
  }

  #sustain({ isIn, isOne }: (typeof CONDITIONS)[number], ms: number): Promise<Sustained> {
    return sustain({
      run: isIn ? (value) => this.#send(value) : this.#pool.run,
      make: isIn ? this.#next : () => order('give', this.#shape),
      check: isIn ? (result) => expect(result === undefined, 'something came back') : this.#check,
      inFlight: isOne ? 1 : inFlightOf(this.#shape),
      // Other processes ran meanwhile: the tasks have to get going.
      warmUpMs: ms / 5,
      ms,
      clockEvery: this.#shape.bytes < LARGE_BYTES ? undefined : 1,
    });
  }

  readonly #next = (): unknown => (this.#shape.isMoved ? this.#shape.make() : this.#value);

  readonly #check = (result: unknown): void =>
    expect(sizeOf(result) === sizeOf(this.#value), 'it has another size');

  #send(value: unknown): PromiseLike<unknown> {
    return this.#shape.isMoved
      ? this.#pool.run(value, [(value as Uint8Array<ArrayBuffer>).buffer])
      : this.#pool.run(value);
  }

  /** It arrives as `structuredClone` would make it, in both directions. */
  async #verify(): Promise<void> {
    const values = Array.from({ length: 4 }, this.#next);
    await Promise.all(values.map((value) => this.#send(value)));
    const isGone = (value: unknown): boolean => sizeOf(value) === 0;
    if (this.#shape.isMoved) expect(values.every(isGone), 'the bytes were not moved');
    if (this.#shape.bytes > MOST_COMPARED) return;
    let isEqual: unknown = null;
    // Until a worker is asked that has got a value.
    while (isEqual === null) {
      const compared = this.#pool.run(order('compare', this.#shape));
      [isEqual] = await Promise.all([compared, this.#send(this.#next())]);
    }
    expect(isEqual === true, 'the worker got another value');
    const given = await this.#pool.run(order('give', this.#shape));
    expect(isDeepStrictEqual(given, structuredClone(this.#value)), 'the worker gave another value');
  }
}

export const SHAPE_CASES: readonly Case[] = SHAPES.map(shapeCase);
