import type { Setup } from '../setup.js';
import { avas } from './test-runners/ava.js';
import { jests } from './test-runners/jest.js';
import { mochas } from './test-runners/mocha.js';
import { nodeTests } from './test-runners/node-test.js';
import { vitests } from './test-runners/vitest.js';

/** The pool inside of tests: realms, fake timers, forgotten pools, coverage. */
export const testRunners: readonly Setup[] = [...jests, ...vitests, ...mochas, ...nodeTests, ...avas];
