import { backpressure } from '../backpressure/study.js';
import { pressure } from '../pressure/study.js';
import { react } from '../react/study.js';
import { scrypt } from '../scrypt/study.js';
import { transfer } from '../transfer/study.js';
import type { Study } from './study.js';

/** All of them, in the order of the article. */
export const STUDIES: readonly Study[] = [scrypt, react, backpressure, pressure, transfer];
