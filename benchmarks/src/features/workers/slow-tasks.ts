import './slow-load.js';

export * from '../tasks.js';
