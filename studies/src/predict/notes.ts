import type { Note } from '../common/notes.js';

const OF = '2026-11-22T11:19:14.349Z';
const WRITTEN = '2026-11-22';

const note = (about: string, text: string): Note => ({ of: OF, written: WRITTEN, about, text });

/** Why workloads were hard to predict, besides what the recorded run met, which all predictions from it carry. */
export const NOTES: readonly Note[] = [
  note('cpu-steady-40', 'queues at two cores answer to the share that others take of them.'),
  note('cpu-steady-70', 'queues at two cores grow steeply with the share that others take of them.'),
  note(
    'cpu-steady-90',
    'close to saturation a queue is as long as the last hundredths of the cores that others took; those of the recorded run are not those of the measured ones.',
  ),
  note(
    'tiny-fs',
    'a run lasts 0.1 s, and its p99 is how long the event loop stood still. A part of that is the recorder, which fetches events on the thread of the app; but without it such a program has a p99 of several milliseconds too. What else holds the loop was not found out.',
  ),
  note('convoy', 'close to saturation the estimate of how long a job is blocked decides.'),
  note(
    'busy-loop',
    'pool threads and the loop share the cores in slices of milliseconds, as long as the jobs themselves; which of them waits may be chance; that was not shown.',
  ),
];
