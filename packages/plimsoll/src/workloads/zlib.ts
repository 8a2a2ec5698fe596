import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Parameters } from './parameters.js';
import { allAtOnce, type WorkRound } from './workload.js';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/**
 * Random data gzipped, all at once, then all gunzipped and compared. One operation is one buffer with its two
 * calls. A one-shot of zlib is a chain of pool jobs, each submitted in the callback of the one before.
 */
export function prepareZlib({ bytes, level }: Parameters<'zlib'>): WorkRound {
  const data = randomBytes(bytes);
  return async (operations, record) => {
    const compressed: Buffer[] = new Array(operations);
    await allAtOnce(operations, record, async (index) => {
      compressed[index] = await compress(data, { level });
    });
    await allAtOnce(operations, record, async (index) => {
      const restored = await decompress(compressed[index] as Buffer);
      if (!restored.equals(data)) throw new Error('gunzip did not return the original bytes');
    });
  };
}
