import glob from 'fast-glob';
import { count, inputs, work } from './kit.mjs';

/** One unit is a listing of all folders with the size of each file. */
await work(count, 1, () => glob('**/*.txt', { cwd: inputs, stats: true, concurrency: 64 }));
