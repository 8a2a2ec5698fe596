import type { Note } from '../common/notes.js';

const OF = '2026-11-25T10:45:58.681Z';
const WRITTEN = '2026-11-25';

const note = (about: string, text: string): Note => ({ of: OF, written: WRITTEN, about, text });

/** Why programs and workloads were hard to predict, besides what the recorded run met, which all predictions from it carry. */
export const NOTES: readonly Note[] = [
  note(
    'fs-cp',
    'writing gets slower with more writers (102 ms with two threads, 136 ms with eight). The model takes what a job is blocked for as a delay that other jobs do not change. The recorded runs were faster than the measured ones, recorder and all; why was not found out.',
  ),
  note('tar-extract', 'as `fs-cp`.'),
  note(
    'multer-upload',
    'as `fs-cp` for the mean. The p99 is predicted at two to five times what it is; why was not found out.',
  ),
  note(
    'fastify-static',
    'files that lie in memory are jobs of microseconds, of which the recorder makes the event loop pay for each. The prediction is of the server with its recorder.',
  ),
  note('archiver', 'each chunk of a compressed stream is a call to the recorder; see `fastify-static`.'),
  note(
    'koa-scrypt',
    'with one thread the pool is full: requests come as fast as it can serve them, and the queue is as long as the last hundredths of its speed.',
  ),
  note(
    'sqlite3',
    'a p99 of 12 ms at a mean of 5 ms rests on few requests; the resampled runs of the recorded one hold longer ones.',
  ),
  note(
    'cpu-steady-40',
    'runs of one size were 33 % apart, at sizes that cannot differ: the machine was disturbed.',
  ),
  note(
    'cpu-steady-90',
    'close to saturation a queue is as long as the last hundredths of the cores that others took; those of the recorded run are not those of the measured ones.',
  ),
  note(
    'tiny-fs',
    'a run lasts 0.1 s, and its p99 is how long the event loop stood still. A part of that is the recorder; but without it such a program has a p99 of several milliseconds too. What else holds the loop was not found out.',
  ),
  note(
    'blocked-steady',
    'predictions are within 3 % and outside of their bands all the same: resampled runs come to nearly the same there, so the bands are narrower than that.',
  ),
];
