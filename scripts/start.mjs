// `npm start`: make the clone ready, then run plimsoll with the arguments given, or its main job.
import { setup } from './setup.mjs';

setup();
if (process.argv.length === 2) process.argv.push('bench', '--time', '19', '--html', 'report.html');
await import('../packages/plimsoll/dist/cli/main.js');
