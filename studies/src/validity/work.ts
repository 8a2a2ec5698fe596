// Work that uses no pool: no pool size can make a difference, but the one that is planted. PLANTED is how many times as much the
// size 16 does.
import { pbkdf2Sync } from 'node:crypto';

const OPERATIONS = 20;
const ITERATIONS = 3000;

export const operations = OPERATIONS;

export default function work({ size }: { readonly size: number }): void {
  const factor = size === 16 ? Number(process.env.PLANTED ?? 1) : 1;
  for (let count = 0; count < OPERATIONS; count++)
    pbkdf2Sync('password', `salt ${count}`, Math.round(ITERATIONS * factor), 64, 'sha512');
}
