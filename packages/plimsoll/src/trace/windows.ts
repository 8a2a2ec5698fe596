import { lowerBound } from '../collections/lower-bound.js';
import type { PoolEvent, Unplaced } from '../libuv/job.js';
import type { ProcessLog } from './process-log.js';

type Windows = Pick<ProcessLog, 'windows' | 'pauses'>;

const PARTNER: Readonly<Record<string, string>> = { b: 'e', B: 'E', e: 'b', E: 'B' };

/**
 * The events of a recording with pauses. What was under way at the beginning of a pause ends there, and what was under way at
 * its end begins there: so the replay of the queue knows at each traced moment which jobs were in the pool.
 */
export function cutAtPauses(events: readonly PoolEvent[], pauses: Windows['pauses']): readonly PoolEvent[] {
  if (pauses.length === 0) return events;
  const cut: PoolEvent[] = [];
  const open = new Map<string, PoolEvent>();
  let passed = 0;
  const pass = (time: number): void => {
    for (let pause = pauses[passed]; pause !== undefined && pause.from <= time; pause = pauses[++passed]) {
      for (const event of open.values()) cut.push(partner(event, pause.from));
      open.clear();
    }
  };
  for (const event of events) {
    pass(event.ts);
    const { to = Number.NEGATIVE_INFINITY } = pauses[passed - 1] ?? {};
    if (event.ts < to) continue;
    const key = `${event.cat} ${event.id ?? event.tid}`;
    if (event.ph === 'b' || event.ph === 'B') open.set(key, event);
    else if (!open.delete(key) && passed > 0) cut.push(partner(event, to));
    cut.push(event);
  }
  pass(Number.POSITIVE_INFINITY);
  return cut.sort((a, b) => a.ts - b.ts);
}

const partner = (event: PoolEvent, ts: number): PoolEvent => ({
  ...event,
  ts,
  tts: undefined,
  ph: PARTNER[event.ph] ?? event.ph,
  args: {},
});

/** How many jobs a job stands for: 0 if it was submitted outside of windows; `null` if it was under way at a pause. */
export function weightOf({ windows, pauses }: Windows): (job: Unplaced) => number | null {
  const ends = new Set(pauses.map(({ from }) => from));
  const begins = new Set(pauses.map(({ to }) => to));
  return ({ submitted, returned }) => {
    const window = windows[lowerBound(windows, ({ to }) => to <= submitted)];
    if (window === undefined || submitted < window.from || begins.has(submitted)) return 0;
    return ends.has(returned) ? null : window.weight;
  };
}
