import type * as real from '../../shared/clock.js';
import { simulation } from './here.js';

export type Source = real.Source;

export const source: Source = 'uptime';

export const readTimeFrom: typeof real.readTimeFrom = () => {};

export const now: typeof real.now = () => simulation.time.now;
