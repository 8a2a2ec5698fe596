export * from './internal.js';
