// `npm run stress:pool -- [SECONDS] [SEED]`: random faults over the worker pool, every promise counted.
import { setup } from './setup.mjs';

setup();
const { main } = await import('../packages/pool/scripts/stress.mjs');
await main(process.argv.slice(2));
