import './slow-load.js';

export { default } from './poolifier.js';
