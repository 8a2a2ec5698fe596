export * from './piscina.js';
export { Piscina as default } from './piscina.js';
