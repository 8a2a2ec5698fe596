export * from './tinypool.js';
export { Tinypool as default } from './tinypool.js';
