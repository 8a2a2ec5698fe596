// `npm run check:features [-- FEATURE… --pools LIST --write]`: what worker pools can do, tried by a small program for each cell.
import { setup } from './setup.mjs';

setup();
await import('../benchmarks/dist/features/main.js');
