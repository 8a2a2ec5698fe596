import { itemAt } from '../collections/item-at.js';
import type { Requests } from './workload.js';

const NOTHING = -1;

/** Clients that ask again some time after each answer: which request comes next, and when. */
export class Clients {
  readonly #requests: Requests | undefined;
  /** By group, the requests that are still to come, the next one last. */
  readonly #coming = new Map<number, number[]>();
  readonly #endOf = new Map<number, number>();

  constructor(requests: Requests | undefined) {
    this.#requests = requests;
    if (requests === undefined) return;
    for (let request = requests.end.length - 1; request >= 0; request--) {
      const group = itemAt(requests.clients, request);
      if (group === NOTHING) continue;
      this.#endOf.set(itemAt(requests.end, request), request);
      if (itemAt(requests.follows, request) === 0) continue;
      const coming = this.#coming.get(group);
      if (coming === undefined) this.#coming.set(group, [request]);
      else coming.push(request);
    }
  }

  /**
   * A step is over. If a client had waited for it, it asks again.
   *
   * @param ask is called with the step of the next request, and how long after now that comes.
   */
  answered(step: number, ask: (arrival: number, afterMs: number) => void): void {
    const requests = this.#requests;
    const request = this.#endOf.get(step);
    if (requests === undefined || request === undefined) return;
    const next = this.#coming.get(itemAt(requests.clients, request))?.pop();
    if (next !== undefined) ask(itemAt(requests.arrival, next), itemAt(requests.thinkMs, next));
  }
}
