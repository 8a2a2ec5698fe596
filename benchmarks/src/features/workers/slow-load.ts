// Takes its time to load, in some threads longer than in others; to be imported before anything else of a worker file.
import { threadId } from 'node:worker_threads';
import { block, log } from '../log.js';

log('loading');
block(threadId % 2 === 0 ? 600 : 300);
log('loaded');
