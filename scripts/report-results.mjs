// `npm run report`: one HTML page of everything in docs/results.
import { setup } from './setup.mjs';

setup();
await import('../studies/dist/report/main.js');
