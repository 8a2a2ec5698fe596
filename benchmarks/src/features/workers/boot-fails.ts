// A worker file that ends each worker that loads it.
import { log } from '../log.js';

log('boot');
process.exit(7);
