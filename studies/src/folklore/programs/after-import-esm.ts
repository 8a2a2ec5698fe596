// Sets the size in the first line of an ES module, one of whose imports reads a file while it is loaded.
import { settings } from './settings.js';

process.env.UV_THREADPOOL_SIZE = '9';
if (settings.length === 0) throw new Error('nothing was read');
