import type { OpenPool, Setup } from './contender.js';
import { openPiscina } from './open-piscina.js';

/** Piscina as it comes: one task per worker at a time. */
export const open = (setup: Setup): OpenPool => openPiscina(setup, {});
