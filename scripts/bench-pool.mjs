// `npm run bench:pool [-- CASE… --blocks N --quick --json FILE --node PATH]`: the worker pool beside its peers.
import { setup } from './setup.mjs';

setup();
await import('../benchmarks/dist/main.js');
