export { ResizeError, type ResizeErrorCode } from './errors.js';
export type { ResizeOptions } from './options.js';
export type { Engine } from './resize/state.js';
export { type ResizableThreadPool, threadPool } from './resize/thread-pool.js';
