import { move } from 'piscina';
import { readable } from '../tasks.js';

export const moved = (count: number): unknown => move(readable(count) as never);
