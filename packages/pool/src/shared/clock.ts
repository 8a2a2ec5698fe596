import { node } from './node-realm.js';

const { hrtime, uptime } = node.process;

/** Where a clock reads the time from. */
export type Source = 'hrtime' | 'uptime';

/** What `hrtime` is when a test has faked it before this module is loaded: nobody fakes `uptime`, but it takes longer. */
function isStandingStill(): boolean {
  const [seconds, nanoseconds] = hrtime();
  const end = uptime() + 1e-6;
  while (uptime() < end);
  const [laterSeconds, laterNanoseconds] = hrtime();
  return seconds === laterSeconds && nanoseconds === laterNanoseconds;
}

export let source: Source = isStandingStill() ? 'uptime' : 'hrtime';

/** Each source is one clock in every thread; both sides must read the same. */
export function readTimeFrom(reference: Source): void {
  source = reference;
}

/** Milliseconds by a clock that all threads share. The first `performance.now()` would cost a new thread half of one. */
export function now(): number {
  if (source === 'uptime') return uptime() * 1e3;
  const [seconds, nanoseconds] = hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}
