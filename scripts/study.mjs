// `npm run study [-- NAME… options]`, and by it every study:NAME, bench:trace and bench:monitor: the experiments of studies/. Full runs
// write docs/results/, others .cache/.
import { setup } from './setup.mjs';

setup();
await import('../studies/dist/main.js');
