export * from './resize.js';
