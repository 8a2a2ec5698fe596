import type {
  Recording,
  TracedJob,
  TracedOperation,
  TracedProcess,
  TracedRequest,
  UsageInterval,
} from '../results/trace.js';
import type { TraceLine } from '../results/trace-file.js';

type LineOf<Type extends TraceLine['type']> = Extract<TraceLine, { type: Type }>;

/** What had to be left out of a kept trace, by kind. */
export class Damage {
  readonly #counts = new Map<string, number>();

  count(what: 'unreadable' | 'truncated' | 'inconsistent' | 'unordered', times = 1): void {
    if (times > 0) this.#counts.set(what, (this.#counts.get(what) ?? 0) + times);
  }

  notes(): Recording['notes'][number][] {
    return [...this.#counts].map(([what, count]) => ({ id: `trace.${what}`, count }));
  }
}

/** The processes that lines of a kept trace tell of. */
export function assemble(lines: readonly TraceLine[], damage: Damage): TracedProcess[] {
  const jobs = new Map<number, LineOf<'job'>[]>();
  const operations = new Map<number, LineOf<'operation'>[]>();
  const requests = new Map<number, LineOf<'request'>[]>();
  const usage = new Map<number, UsageInterval[]>();
  const heads = new Map<number, LineOf<'process'>>();
  for (const line of lines) {
    if (line.type === 'process' && !heads.has(line.process)) heads.set(line.process, line);
    else if (line.type === 'job') add(jobs, line.process, line);
    else if (line.type === 'operation') add(operations, line.process, line);
    else if (line.type === 'request') add(requests, line.process, line);
    else if (line.type === 'usage' && line.fromMs <= line.toMs) {
      const { type, process, busyThreads = null, blockedThreads = null, ...interval } = line;
      add(usage, process, { ...interval, busyThreads, blockedThreads });
    }
  }
  for (const lost of [jobs, operations, requests])
    for (const [process, own] of lost) if (!heads.has(process)) damage.count('inconsistent', own.length);
  const inOrder = [...heads.values()].sort((a, b) => a.process - b.process);
  return inOrder.map(({ type, process, ...facts }) => ({
    ...facts,
    endMs: Math.max(facts.startMs, facts.endMs),
    ...orderedWork(
      requests.get(process) ?? [],
      operations.get(process) ?? [],
      jobs.get(process) ?? [],
      damage,
    ),
    usage: (usage.get(process) ?? []).sort((a, b) => a.fromMs - b.fromMs),
  }));
}

function add<Value>(map: Map<number, Value[]>, key: number, value: Value): void {
  const own = map.get(key);
  if (own === undefined) map.set(key, [value]);
  else own.push(value);
}

/** Requests, operations and jobs, each in the order of their time; what they name by the ids that were written is found again. */
function orderedWork(
  requestLines: readonly LineOf<'request'>[],
  operationLines: readonly LineOf<'operation'>[],
  jobLines: readonly LineOf<'job'>[],
  damage: Damage,
): Pick<TracedProcess, 'requests' | 'operations' | 'jobs'> {
  const requests = inOrder(requestLines, ({ startMs }) => startMs, endsAfterStart, damage);
  const operations = inOrder(operationLines, ({ startMs }) => startMs, endsAfterStart, damage);
  const jobs = inOrder(jobLines, ({ submitMs }) => submitMs, hangsTogether, damage);
  const requestAt = placesOf(requests);
  const operationAt = placesOf(operations);
  const jobAt = placesOf(jobs);
  return {
    requests: requests.map(({ type, process, id, ...request }): TracedRequest => request),
    operations: operations.map(
      ({ type, process, id, request, ...operation }): TracedOperation => ({
        ...operation,
        request: placeOf(requestAt, request),
      }),
    ),
    jobs: jobs.map(({ type, process, id, parent, operation, ...job }, index): TracedJob => {
      const place = placeOf(jobAt, parent);
      // A job that follows from another was submitted after the result of that one had been taken.
      const follows = place !== null && place < index && (jobs[place]?.callbackMs ?? 0) <= job.submitMs;
      return { ...job, parent: follows ? place : null, operation: placeOf(operationAt, operation) };
    }),
  };
}

/** Those that are sound, by their time. */
function inOrder<Line extends { readonly id: number }>(
  lines: readonly Line[],
  time: (line: Line) => number,
  isSound: (line: Line) => boolean,
  damage: Damage,
): Line[] {
  const seen = new Set<number>();
  const sound = lines.filter((line) => {
    const isNew = isSound(line) && !seen.has(line.id);
    seen.add(line.id);
    return isNew;
  });
  damage.count('inconsistent', lines.length - sound.length);
  const ordered = sound.toSorted((a, b) => time(a) - time(b));
  if (ordered.some((line, index) => line !== sound[index])) damage.count('unordered');
  return ordered;
}

const placesOf = (lines: readonly { readonly id: number }[]): Map<number, number> =>
  new Map(lines.map(({ id }, index) => [id, index]));

const placeOf = (places: ReadonlyMap<number, number>, id: number | null): number | null =>
  id === null ? null : (places.get(id) ?? null);

const endsAfterStart = ({ startMs, endMs }: LineOf<'request' | 'operation'>): boolean =>
  endMs === null || startMs <= endMs;

const hangsTogether = ({ submitMs, startMs, endMs, callbackMs }: LineOf<'job'>): boolean =>
  submitMs <= startMs && startMs <= endMs && endMs <= callbackMs;
