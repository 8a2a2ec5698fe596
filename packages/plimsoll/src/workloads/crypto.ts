import { pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';
import type { Parameters } from './parameters.js';
import { allAtOnce, type WorkRound } from './workload.js';

const derive = promisify(pbkdf2);

/** Pure CPU in the pool: every derivation at once. */
export const prepareCrypto =
  ({ iterations, keyBytes, digest }: Parameters<'crypto'>): WorkRound =>
  (operations, record) =>
    allAtOnce(operations, record, async (index) => {
      await derive('correct horse battery staple', `salt ${index}`, iterations, keyBytes, digest);
    });
