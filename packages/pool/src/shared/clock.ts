import { node } from './node-realm.js';

const { hrtime, uptime } = node.process;

export type Source = 'hrtime' | 'uptime';

/** Has a test faked `hrtime` before this module was loaded? Nobody fakes `uptime`, but reading it takes longer. */
function isStandingStill(): boolean {
  const [seconds, nanoseconds] = hrtime();
  const end = uptime() + 1e-6;
  while (uptime() < end);
  const [laterSeconds, laterNanoseconds] = hrtime();
  return seconds === laterSeconds && nanoseconds === laterNanoseconds;
}

export let source: Source = isStandingStill() ? 'uptime' : 'hrtime';

/** Each source is one clock for all threads; host and worker must use the same source. */
export function readTimeFrom(reference: Source): void {
  source = reference;
}

/** Milliseconds of a clock that all threads share. The first `performance.now()` takes a new thread half a millisecond. */
export function now(): number {
  if (source === 'uptime') return uptime() * 1e3;
  const [seconds, nanoseconds] = hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}
