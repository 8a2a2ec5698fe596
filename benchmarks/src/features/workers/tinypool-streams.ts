import Tinypool from 'tinypool';
import { readable } from '../tasks.js';

export const moved = (count: number): unknown => Tinypool.move(readable(count) as never);
