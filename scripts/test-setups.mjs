// `npm run test:setups [-- FILTER… --only CONTENDER,… --fast --json FILE --write --keep]`: which worker pools work in the
// set-ups that people have.
import { nodeOfLine } from './node-lines.mjs';
import { setup } from './setup.mjs';

setup();
const { main } = await import('../setups/dist/main.js');
process.exitCode = await main(process.argv.slice(2), nodeOfLine);
