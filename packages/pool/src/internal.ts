/**
 * Parts of the pool that the other packages of this repository are made of. No part of the public interface: what is here
 * changes in any version.
 */
export { badRange, badType } from './errors.js';
export { count, duration, flag, text } from './host/checks.js';
export { readCpuQuota } from './host/cpu-quota.js';
export { Line, type Place } from './host/line.js';
export { pathOf } from './host/options.js';
export { letGo, type Source, sourceOf } from './host/source.js';
export { listen, ownOf, signalOf, unlisten, watch } from './host/submit.js';
export { decode, decodeError, encode, encodeError } from './shared/bytes.js';
export { now } from './shared/clock.js';
export { Histogram } from './shared/histogram.js';
export { LONGEST_TIMER, timers } from './shared/timers.js';
export { messageOf } from './shared/untrusted.js';
