import { ThreadWorker } from 'poolifier';
import * as tasks from '../tasks.js';
import { end } from './hooks.js';

const { storage: _, ...functions } = tasks;

export default new ThreadWorker(functions as never, { killHandler: end });
