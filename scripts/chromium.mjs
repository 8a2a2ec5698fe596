// The Chromium of the browser tests and of the pictures: a program of the machine, not of npm.
import { findProgram } from './apt-get.mjs';

/** Names the program itself, before what PATH has. */
export const VARIABLE = 'PLIMSOLL_CHROMIUM';
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/**
 * The path of a Chromium; `null` when there is none.
 *
 * @param {NodeJS.ProcessEnv} [env]
 */
export const findChromium = (env = process.env) => findProgram(NAMES, env[VARIABLE], env);
