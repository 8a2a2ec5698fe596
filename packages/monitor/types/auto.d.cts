import type { ThreadPoolMonitor } from './index.js';

/** The monitor of this process; undefined in a Worker. */
export declare const monitor: ThreadPoolMonitor | undefined;
