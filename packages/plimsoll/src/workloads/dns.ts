import { lookup } from 'node:dns/promises';
import { allAtOnce, type RunContext, type WorkRound } from './workload.js';

/** dns.lookup, all at once: the slow-I/O class, of which libuv runs at most (size + 1) / 2 at a time. */
export const prepareDns =
  ({ names }: RunContext): WorkRound =>
  (operations, record) =>
    allAtOnce(operations, record, async (index) => {
      await lookup(names[index % names.length] as string);
    });
