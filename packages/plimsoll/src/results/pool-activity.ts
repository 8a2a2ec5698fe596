import { z } from 'zod';

const share = z.number().min(0).max(1);

const doingSchema = z.discriminatedUnion('what', [
  z.object({ what: z.literal('idle') }),
  z.object({ what: z.literal('parked').describe('a resize has taken it out of the pool') }),
  z.object({ what: z.literal('running'), cpuShare: share, coreWaitShare: share }),
  z.object({ what: z.literal('waiting for a core'), cpuShare: share, coreWaitShare: share }),
  z.object({
    what: z.literal('blocked'),
    call: z.string().describe('system call'),
    on: z.string().nullable().describe('a path, a peer, pipe …; null when it cannot be told'),
  }),
  z.object({ what: z.literal('sleeping'), state: z.string().describe('a letter of proc_pid_stat(5)') }),
]);

export const poolActivitySchema = z
  .object({
    schema: z.literal('plimsoll/1'),
    kind: z.literal('top'),
    takenAt: z.iso.datetime(),
    intervalMs: z.number().positive().describe('between the two looks that shares follow from'),
    processes: z.array(
      z.object({
        pid: z.int(),
        ppid: z.int(),
        program: z.string(),
        threads: z
          .int()
          .nonnegative()
          .describe('pool threads; 0 before the first use of the pool, and where nothing tells'),
        countedBy: z
          .enum(['memory', 'name', 'creation'])
          .nullable()
          .describe(
            'libuv’s own counter, names of threads, threads created in one instant; null: nothing tells',
          ),
        size: z.int().positive().describe('what UV_THREADPOOL_SIZE gives at the start of the process'),
        parked: z
          .int()
          .nonnegative()
          .describe('threads that a resize has taken out of the pool, not in threads'),
        busy: z
          .int()
          .nonnegative()
          .describe('pool threads that run, wait for a core or are blocked in their work'),
        tellsCalls: z.boolean().describe('system calls could be read; else blocked threads seem idle'),
        seen: z.array(
          z.object({
            tid: z.int(),
            name: z.string(),
            role: z.enum(['event loop', 'pool', 'runtime', 'other']),
            doing: doingSchema,
          }),
        ),
      }),
    ),
  })
  .describe('Result of plimsoll top --once');

export type PoolActivity = z.infer<typeof poolActivitySchema>;
