// Where a Prometheus is, for tests. As a command (--install) it installs Debian's where there is none.
import { fileURLToPath } from 'node:url';
import { findProgram, installProgram } from './apt-get.mjs';

/** Names the program itself, before what PATH has. */
export const VARIABLE = 'PLIMSOLL_PROMETHEUS';

/**
 * The path of a prometheus; `null` when there is none.
 *
 * @param {NodeJS.ProcessEnv} [env]
 */
export const findPrometheus = (env = process.env) => findProgram(['prometheus'], env[VARIABLE], env);

if (process.argv[1] === fileURLToPath(import.meta.url) && process.argv.includes('--install'))
  installProgram('prometheus', VARIABLE, findPrometheus);
