export * from './index.js';
export { plimsollPool as default } from './index.js';
