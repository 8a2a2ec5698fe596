export { prometheusContentType, prometheusText } from '@plimsoll/pool/observe';
export type { FastifyErrorCode } from './errors.js';
export type { PlimsollPoolOptions, ShedOptions } from './options.js';
export { plimsollPool as default, plimsollPool } from './plugin.js';
export type { ModuleOf, PoolModules, Pools, RunTask, RunTaskOptions } from './types.js';
