import { itemAt } from '../collections/item-at.js';
import { selectJobs } from '../model/edit.js';
import type { Requests, Workload } from '../model/workload.js';
import type { Random } from '../stats/random.js';
import { type Unit, unitsOf } from './units.js';

/**
 * Another run as it might have been: what comes from outside, with all that follows from each, in blocks of neighbours drawn
 * at random from the recorded ones (block bootstrap: Künsch 1989). A block holds the cube root of their number, so that what
 * comes in bunches stays in bunches.
 *
 * Jobs bring the gaps that they came after. Requests take the places of the recorded ones: an open stream keeps its moments,
 * for near saturation a few more or fewer in a second are another load and not another run; clients stay as many.
 */
export function resample(work: Workload, random: Random): Workload {
  const { open, clients } = unitsOf(work);
  const drawn: Placed[] =
    work.requests === undefined
      ? withGaps(open, random)
      : drawnFor(open, random).map((unit, place) => ({ unit, atMs: itemAt(open, place).atMs, slot: null }));
  for (const own of clients.values())
    for (const [place, unit] of drawnFor(own, random).entries()) {
      const slot = itemAt(own, place);
      drawn.push({ unit, atMs: slot.atMs, slot });
    }
  return selectUnits(work, drawn);
}

export interface Placed {
  readonly unit: Unit;
  readonly atMs: number;
  /** The recorded request of a client whose place it takes; `null` where there is no client. */
  readonly slot: Unit | null;
}

/** For each unit another one, in blocks. */
function drawnFor(units: readonly Unit[], random: Random): Unit[] {
  const length = Math.max(1, Math.round(Math.cbrt(units.length)));
  const drawn: Unit[] = [];
  while (drawn.length < units.length) {
    const first = random.integer(0, units.length - 1);
    for (let step = 0; step < length && drawn.length < units.length; step++)
      drawn.push(itemAt(units, (first + step) % units.length));
  }
  return drawn;
}

function withGaps(units: readonly Unit[], random: Random): Placed[] {
  const gaps = new Map(
    units.map((unit, index) => [unit, index === 0 ? 0 : unit.atMs - itemAt(units, index - 1).atMs]),
  );
  let now = units[0]?.atMs ?? 0;
  return drawnFor(units, random).map((unit, index) => {
    if (index > 0) now += gaps.get(unit) ?? 0;
    return { unit, atMs: now, slot: null };
  });
}

/** These units at these times, each a copy of its own. */
export function selectUnits(work: Workload, all: readonly Placed[]): Workload {
  const steps: number[] = [];
  const parents: number[] = [];
  const times: number[] = [];
  const joins = { step: [] as number[], after: [] as number[] };
  const operations = { of: [] as number[], name: [] as number[], extraMs: [] as number[] };
  const requests = new DrawnRequests();
  const place = new Int32Array(work.count);
  for (const { unit, atMs, slot } of all) {
    const own = new Map<number, number>();
    for (const step of unit.steps) {
      const of = itemAt(work.parent, step);
      parents.push(of === -1 ? -1 : itemAt(place, of));
      times.push(of === -1 ? itemAt(work.atMs, step) - unit.atMs + atMs : itemAt(work.atMs, step));
      place[step] = steps.push(step) - 1;
      if (work.operations !== undefined) {
        const operation = itemAt(work.operations.of, step);
        let number = operation === -1 ? -1 : own.get(operation);
        if (number === undefined) {
          operations.extraMs.push(itemAt(work.operations.extraMs, operation));
          number = operations.name.push(itemAt(work.operations.name, operation)) - 1;
          own.set(operation, number);
        }
        operations.of.push(number);
      }
    }
    for (const join of unit.joins) {
      joins.step.push(itemAt(place, itemAt(work.joins?.step ?? [], join)));
      joins.after.push(itemAt(place, itemAt(work.joins?.after ?? [], join)));
    }
    if (work.requests !== undefined) requests.add(work.requests, unit, slot, place);
  }
  return {
    ...selectJobs(work, steps),
    parent: Int32Array.from(parents),
    atMs: Float64Array.from(times),
    ...(work.joins === undefined
      ? {}
      : { joins: { step: Int32Array.from(joins.step), after: Int32Array.from(joins.after) } }),
    ...(work.operations === undefined
      ? {}
      : {
          operations: {
            names: work.operations.names,
            of: Int32Array.from(operations.of),
            name: Int32Array.from(operations.name),
            extraMs: Float64Array.from(operations.extraMs),
          },
        }),
    ...(work.requests === undefined ? {} : { requests: requests.of(work.requests) }),
  };
}

/** The requests of the units that were drawn; each in the place of a recorded one. */
class DrawnRequests {
  readonly #lists = {
    route: [] as number[],
    arrival: [] as number[],
    end: [] as number[],
    answered: [] as number[],
    clients: [] as number[],
    follows: [] as number[],
    thinkMs: [] as number[],
  };

  add(requests: Requests, unit: Unit, slot: Unit | null, place: Int32Array): void {
    const lists = this.#lists;
    for (const request of unit.requests) {
      lists.route.push(itemAt(requests.route, request));
      lists.arrival.push(itemAt(place, itemAt(requests.arrival, request)));
      lists.end.push(itemAt(place, itemAt(requests.end, request)));
      lists.answered.push(itemAt(requests.answered, request));
      lists.thinkMs.push(itemAt(requests.thinkMs, request));
      lists.clients.push(itemAt(requests.clients, request));
      const taken = slot === null ? request : itemAt(slot.requests, 0);
      lists.follows.push(itemAt(requests.follows, taken));
    }
  }

  of({ routes }: Requests): Requests {
    const { route, arrival, end, answered, clients, follows, thinkMs } = this.#lists;
    return {
      routes,
      route: Int32Array.from(route),
      arrival: Int32Array.from(arrival),
      end: Int32Array.from(end),
      answered: Uint8Array.from(answered),
      clients: Int32Array.from(clients),
      follows: Uint8Array.from(follows),
      thinkMs: Float64Array.from(thinkMs),
    };
  }
}
