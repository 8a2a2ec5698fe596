// Where a Prometheus is, for tests.
import { findProgram } from './apt-get.mjs';

/** Names the program itself, before what PATH has. */
export const VARIABLE = 'PLIMSOLL_PROMETHEUS';

/**
 * The path of a prometheus; `null` when there is none.
 *
 * @param {NodeJS.ProcessEnv} [env]
 */
export const findPrometheus = (env = process.env) => findProgram(['prometheus'], env[VARIABLE], env);
