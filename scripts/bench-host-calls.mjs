// `npm run bench:host-calls [-- ROUNDS]`: a call of the host beside an empty task.
import { setup } from './setup.mjs';

setup();
await import('../benchmarks/dist/host-calls/main.js');
