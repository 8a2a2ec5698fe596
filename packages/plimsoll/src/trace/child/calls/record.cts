/** Numbers in a record. */
const FIELDS = 6;

/**
 * What a record tells, in its first field; the second is the time in microseconds of process.hrtime. The others:
 *
 * - `job`: its number, its kind (`name * KINDS + kind`), what it is for (`operation * CAUSES + cause`, or `-request * CAUSES -
 *   cause` outside of every operation), and the number of the job that it follows;
 * - `return`: the number of the job whose result the event loop takes;
 * - `begin`: number, name and request of an operation;
 * - `end`: the number of the operation whose result the program has.
 */
const RECORD = { job: 1, return: 2, begin: 3, end: 4 } as const;

/** Where a job comes from. `other` is work of add-ons, or nothing of the pool: only a trace event says that it was submitted. */
const KIND = { fs: 0, dns: 1, crypto: 2, zlib: 3, other: 4 } as const;
const KINDS = 8;

/** What runs when a job is submitted. */
const CAUSE = { other: 0, callback: 1, timer: 2, immediate: 3, socket: 4 } as const;
const CAUSES = 8;

export = { FIELDS, RECORD, KIND, KINDS, CAUSE, CAUSES };
