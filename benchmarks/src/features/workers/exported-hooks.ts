// Exports hooks under every usual name.
import { begin, end } from './hooks.js';

export * from '../tasks.js';
export { begin as setup, begin as init, end as dispose, end as teardown };
