import { itemAt } from '../collections/item-at.js';
import type { Workload } from '../model/workload.js';

/** What belongs together: steps that follow from one another, of one operation or one request. */
export interface Unit {
  /** In their order, so that parents come first. */
  readonly steps: number[];
  readonly joins: number[];
  readonly requests: number[];
  /** When the first of it came. */
  readonly atMs: number;
}

/** The units that come at their own time, in their order, and those of clients by group, in the order of their requests. */
export interface Units {
  readonly open: readonly Unit[];
  readonly clients: ReadonlyMap<number, readonly Unit[]>;
}

/** Divide a workload into units. */
export function unitsOf(work: Workload): Units {
  const { count, parent, atMs, joins, operations, requests } = work;
  const sets = new DisjointSets(count);
  for (let step = 0; step < count; step++) {
    const of = itemAt(parent, step);
    if (of !== -1) sets.unite(of, step);
  }
  for (const [join, step] of (joins?.step ?? []).entries())
    sets.unite(itemAt(joins?.after ?? [], join), step);
  for (const [request, arrival] of (requests?.arrival ?? []).entries())
    sets.unite(arrival, itemAt(requests?.end ?? [], request));
  const firstOf = new Map<number, number>();
  for (const [step, operation] of (operations?.of ?? []).entries()) {
    if (operation === -1) continue;
    const first = firstOf.get(operation);
    if (first === undefined) firstOf.set(operation, step);
    else sets.unite(first, step);
  }
  const units = new Map<number, Unit>();
  for (let step = 0; step < count; step++) {
    const key = sets.find(step);
    const unit = units.get(key);
    if (unit !== undefined) unit.steps.push(step);
    else units.set(key, { steps: [step], joins: [], requests: [], atMs: itemAt(atMs, step) });
  }
  const unitAt = (step: number): Unit => units.get(sets.find(step)) as Unit;
  for (const [join, step] of (joins?.step ?? []).entries()) unitAt(step).joins.push(join);
  const clients = new Map<number, Unit[]>();
  const ofClients = new Set<Unit>();
  for (const [request, arrival] of (requests?.arrival ?? []).entries()) {
    const unit = unitAt(arrival);
    unit.requests.push(request);
    const group = itemAt(requests?.clients ?? [], request);
    if (group === -1) continue;
    ofClients.add(unit);
    const own = clients.get(group);
    if (own === undefined) clients.set(group, [unit]);
    else own.push(unit);
  }
  const open = [...units.values()].filter((unit) => !ofClients.has(unit));
  return { open: open.sort((a, b) => a.atMs - b.atMs || itemAt(a.steps, 0) - itemAt(b.steps, 0)), clients };
}

/** Which of 0 … count - 1 belong together (union-find). */
class DisjointSets {
  readonly #of: Int32Array;

  constructor(count: number) {
    this.#of = Int32Array.from({ length: count }, (_, index) => index);
  }

  /** The number that stands for the set. */
  find(one: number): number {
    let at = one;
    while (this.#of[at] !== at) {
      const next = itemAt(this.#of, itemAt(this.#of, at));
      this.#of[at] = next;
      at = next;
    }
    return at;
  }

  unite(a: number, b: number): void {
    const [first, second] = [this.find(a), this.find(b)];
    this.#of[Math.max(first, second)] = Math.min(first, second);
  }
}
