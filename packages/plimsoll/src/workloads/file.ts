import { readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Parameters } from './parameters.js';
import { allAtOnce, type RunContext, type WorkRound } from './workload.js';

/**
 * All files written at once, then all read, then all deleted. One operation is one file with its three calls;
 * each call's latency is recorded. The reads come out of the page cache: this measures the pool and the
 * filesystem's own cost, not a disk's.
 */
export function prepareFile(parameters: Parameters<'file'>, context: RunContext): WorkRound {
  const content = Buffer.alloc(parameters.bytes, 'plimsoll ');
  const path = (index: number): string => join(context.directory, `${index}.bin`);
  return async (operations, record) => {
    await allAtOnce(operations, record, (index) => writeFile(path(index), content));
    await allAtOnce(operations, record, async (index) => {
      const { length } = await readFile(path(index));
      if (length !== content.length)
        throw new Error(`read ${length} of ${content.length} bytes from its own file`);
    });
    await allAtOnce(operations, record, (index) => unlink(path(index)));
  };
}
