// `npm run study [-- NAME… --quick --blocks N --seed N --out DIRECTORY]`: the studies of worker pools in studies/. Full
// runs write docs/results/<name>.md and .json, quick ones .cache/study/.
import { setup } from './setup.mjs';

setup();
await import('../studies/dist/main.js');
