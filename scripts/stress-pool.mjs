// `npm run stress:pool -- [SECONDS] [SEED] [--load=CPUS]`: random values, faults and deaths over the worker pool, every promise
// counted and every value checked.
import { setup } from './setup.mjs';

setup();
const { main } = await import(new URL('../packages/pool/scripts/stress.mjs', import.meta.url).href);
await main(process.argv.slice(2));
