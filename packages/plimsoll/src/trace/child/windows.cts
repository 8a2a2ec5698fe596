import type EventSource = require('./events.cjs');

import type { Line, RecordedLine } from './lines.cjs';

import timers = require('node:timers/promises');
import log = require('./log.cjs');

const { now } = log;

/** A process with more events per second is sampled. So many cost its event loop 4 % of its time. */
const MOST_EVENTS = 10_000;
const SECOND_US = 1_000_000;
const SAMPLE_US = 40_000;
/** A sample is one part in so many of the time. */
const WEIGHT = 25;
/** Tracing starts so long before a sample: a busy loop answers late, and what it put off must not open the sample. */
const LEAD_US = 10_000;
/** Most jobs have returned so long after a window. */
const DRAIN_US = 10_000;
/** Jobs that take longer are given up. */
const LONGEST_US = 10_000_000;

const until = (us: number): Promise<void> => timers.setTimeout(Math.max(0, (us - now()) / 1000));

/**
 * Records every job while events are few, and otherwise the jobs that are submitted in samples: short windows at random
 * distances. Sums are unbiased because each moment has the same chance, the weight of a window is fixed before it begins,
 * and tracing goes on until the jobs of a window have returned, however long they take.
 *
 * @param look samples the threads, at each change, so that no interval of their usage is half traced.
 */
async function recordInWindows(
  source: EventSource,
  emit: (line: RecordedLine) => void,
  look: () => Line<'threads'>,
): Promise<void> {
  let weight = 1;
  for (let from = now(); !source.hasStopped; ) {
    const to = from + (weight === 1 ? SECOND_US : SAMPLE_US);
    const before = source.taken;
    emit({ type: 'window', from, to, weight });
    await until(to + DRAIN_US);
    await source.fetch();
    const isBusy = source.taken - before > (MOST_EVENTS * (now() - from)) / SECOND_US;
    weight = isBusy ? WEIGHT : 1;
    from = isBusy ? to + (WEIGHT - 1) * SAMPLE_US * (0.5 + Math.random()) : to;
    const latest = from - 2 * LEAD_US;
    while (now() < latest && source.isOpen(now() - LONGEST_US, to)) {
      await until(now() + DRAIN_US);
      await source.fetch();
    }
    if (now() >= latest || source.hasStopped) continue;
    const paused = look();
    emit(paused);
    emit({ type: 'pause', at: paused.at });
    await source.pause();
    await until(from - LEAD_US);
    await source.start();
    await until(from);
    const resumed = look();
    emit(resumed);
    from = resumed.at;
  }
}

export = recordInWindows;
