import type * as real from '../../host/start-thread.js';
import { simulation } from './here.js';

export const startThread: typeof real.startThread = () => simulation.startThread();
