import { SHAPE_CASES } from '../shapes/case.js';
import { MEMORY_CASE } from '../shapes/memory.js';
import { copied, transferred } from './buffers.js';
import type { Case } from './case.js';
import { coldStart } from './cold-start.js';
import { endurance } from './endurance.js';
import { eventLoop } from './event-loop.js';
import { idle } from './idle.js';
import { latency } from './latency.js';
import { longTasks } from './long-tasks.js';
import { map } from './map.js';
import { objects } from './objects.js';
import { queue } from './queue.js';
import { throughput } from './throughput.js';

/** Everything that is measured without being named, in the order of the page. */
export const CASES: readonly Case[] = [
  throughput,
  latency,
  map,
  objects,
  copied,
  transferred,
  idle,
  longTasks,
  eventLoop,
  queue,
  coldStart,
  endurance,
];

/** @throws when there is none. */
export function caseNamed(name: string): Case {
  const found = [...CASES, ...SHAPE_CASES, MEMORY_CASE].find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no case ${name}`);
  return found;
}
