// Sets the size in the first line of an ES module whose imports use no pool.
import { access } from 'node:fs';

process.env.UV_THREADPOOL_SIZE = '9';
access('.', () => {});
