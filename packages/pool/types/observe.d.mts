export * from './observe.js';
