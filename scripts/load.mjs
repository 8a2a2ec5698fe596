// `npm run load -- [options]`, and the sample server of `npm run start:dev`, `start:fork` and `start:cluster`.
import { setup } from './setup.mjs';

setup();
await import('../studies/dist/load/cli/main.js');
