import { itemAt } from '../collections/item-at.js';
import type { Workload } from '../model/workload.js';
import { median } from '../stats/quantile.js';
import { type AskedStep, isAnswered, type Step, type Steps } from './steps.js';

/** What a workload holds beside its jobs: joins, operations and requests, where there are any. */
export function askedWork(
  parts: readonly Steps[],
  steps: readonly Step[],
  places: ReadonlyMap<Step, number>,
): Pick<Workload, 'point' | 'joins' | 'operations' | 'requests'> {
  const requests = parts.flatMap((part) => part.requests);
  return {
    ...operationsOf(parts, steps),
    ...(requests.length === 0
      ? {}
      : {
          point: Uint8Array.from(steps, ({ job }) => Number(job === null)),
          joins: joinsOf(steps, places),
          requests: requestsOf(requests, places),
        }),
  };
}

function joinsOf(steps: readonly Step[], places: ReadonlyMap<Step, number>): Workload['joins'] & object {
  const pairs = steps.flatMap(({ joins }, step) =>
    joins.map((after) => [step, places.get(after) as number] as const),
  );
  return {
    step: Int32Array.from(pairs, ([step]) => step),
    after: Int32Array.from(pairs, ([, after]) => after),
  };
}

function operationsOf(parts: readonly Steps[], steps: readonly Step[]): Pick<Workload, 'operations'> {
  const all = parts.flatMap((part) => part.operations);
  if (all.length === 0) return {};
  let before = 0;
  const firsts = parts.map(({ operations }) => {
    before += operations.length;
    return before - operations.length;
  });
  const names = [...new Set(all.map(({ name }) => name))];
  const numbers = new Map(names.map((name, number) => [name, number]));
  return {
    operations: {
      names,
      name: Int32Array.from(all, ({ name }) => numbers.get(name) as number),
      extraMs: Float64Array.from(all, ({ extraMs }) => extraMs),
      of: Int32Array.from(steps, ({ operation, process }) =>
        operation === null ? -1 : itemAt(firsts, process) + operation,
      ),
    },
  };
}

function requestsOf(
  all: readonly AskedStep[],
  places: ReadonlyMap<Step, number>,
): Workload['requests'] & object {
  const requests = all.toSorted((a, b) => a.arrival.timeMs - b.arrival.timeMs);
  const routes = [
    ...new Set(requests.filter(({ request }) => isAnswered(request)).map(({ request }) => request.route)),
  ];
  const numbers = new Map(routes.map((route, number) => [route, number]));
  const groups = [...new Set(requests.map(groupOf))];
  // The first of a client has nobody before it; where it is drawn for another place it needs a time to think.
  const usual = new Map(
    groups.map((group) => {
      const own = requests.filter((one) => groupOf(one) === group);
      const thinks = own.flatMap(({ asked }) => asked.thinkMs ?? []);
      return [group, thinks.length === 0 ? 0 : median(thinks)];
    }),
  );
  return {
    routes,
    route: Int32Array.from(requests, ({ request }) => numbers.get(request.route) ?? -1),
    arrival: Int32Array.from(requests, ({ arrival }) => places.get(arrival) as number),
    end: Int32Array.from(requests, ({ end }) => places.get(end) as number),
    answered: Uint8Array.from(requests, ({ request }) => Number(isAnswered(request))),
    clients: Int32Array.from(requests, (one) =>
      one.asked.group === null ? -1 : groups.indexOf(groupOf(one)),
    ),
    follows: Uint8Array.from(requests, ({ asked }) => Number(asked.thinkMs !== null)),
    thinkMs: Float64Array.from(requests, (one) => one.asked.thinkMs ?? usual.get(groupOf(one)) ?? 0),
  };
}

const groupOf = ({ process, asked: { group } }: AskedStep): string =>
  group === null ? '' : `${process} ${group}`;
