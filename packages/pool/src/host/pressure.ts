/** Milliseconds of one slot of the window. */
const SLOT = 250;
/** Slots of the window: five seconds. */
const SLOTS = 20;

/** What the pool has taken on and brought to an end so far. */
export interface Flow {
  /** Tasks whose promise was settled. */
  readonly completed: number;
  /** Tasks that were accepted and are not settled. */
  readonly outstanding: number;
}

/**
 * Queue pressure: tasks that came in divided by tasks that went out, over the last five seconds.
 *
 * Counts nothing itself: both numbers follow from counters that the pool has anyway. It only remembers what they were
 * when each slot of 250 ms began, which it learns at the first event of the slot. So a task costs one comparison, an
 * idle pool nothing, and nobody needs a timer.
 */
export class Pressure {
  readonly #flow: Flow;
  readonly #origin: number;
  /** By slot modulo SLOTS: which slot it is, and what had come in and gone out before it. */
  readonly #slots = new Float64Array(SLOTS).fill(-1);
  readonly #inBefore = new Float64Array(SLOTS);
  readonly #outBefore = new Float64Array(SLOTS);
  #slotEnd: number;

  /** @param now by the clock of all later times, in milliseconds. */
  constructor(flow: Flow, now: number) {
    this.#flow = flow;
    this.#origin = now;
    this.#slotEnd = now;
  }

  /** To be called before the counters change. Times that lie before the newest slot belong to it. */
  before(now: number): void {
    if (now >= this.#slotEnd) this.#open(now);
  }

  #open(now: number): void {
    const slot = Math.floor((now - this.#origin) / SLOT);
    const place = slot % SLOTS;
    this.#slots[place] = slot;
    this.#inBefore[place] = this.#flow.completed + this.#flow.outstanding;
    this.#outBefore[place] = this.#flow.completed;
    this.#slotEnd = this.#origin + (slot + 1) * SLOT;
  }

  /** In ÷ out; Infinity when nothing went out, NaN when nothing came in either. */
  at(now: number): number {
    const oldest = Math.floor((now - this.#origin) / SLOT) - SLOTS + 1;
    let first = -1;
    let earliest = Number.POSITIVE_INFINITY;
    for (const [place, slot] of this.#slots.entries()) {
      if (slot < oldest || slot < 0 || slot >= earliest) continue;
      earliest = slot;
      first = place;
    }
    if (first === -1) return Number.NaN;
    const { completed, outstanding } = this.#flow;
    const came = completed + outstanding - (this.#inBefore[first] as number);
    const went = completed - (this.#outBefore[first] as number);
    return came / went;
  }
}
