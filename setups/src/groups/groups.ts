import type { Setup } from '../setup.js';
import { asar } from './asar.js';
import { bundledHosts } from './bundled-hosts.js';
import { compilers } from './compilers.js';
import { mistakes } from './mistakes.js';
import { moduleSystems } from './module-systems.js';
import { nextJs } from './next-js.js';
import { otherRuntimes } from './other-runtimes.js';
import { processes } from './processes.js';
import { singleExecutables } from './single-executables.js';
import { testRunners } from './test-runners.js';
import { values } from './values.js';
import { workerFiles } from './worker-files.js';

/** Every set-up, in the order of the table. */
export const SETUPS: readonly Setup[] = [
  ...workerFiles,
  ...compilers,
  ...moduleSystems,
  ...values,
  ...mistakes,
  ...processes,
  ...testRunners,
  ...bundledHosts,
  ...nextJs,
  ...asar,
  ...singleExecutables,
  ...otherRuntimes,
];
