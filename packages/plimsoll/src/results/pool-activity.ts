import { z } from 'zod';
import { chance, count, orNull, positive, ratio, resultSchema, text } from './parts.js';

const doingSchema = z.discriminatedUnion('what', [
  z.object({ what: z.literal('idle') }),
  z.object({ what: z.literal('parked').describe('a resize has taken it out of the pool') }),
  z.object({ what: z.literal('running'), cpuShare: chance, coreWaitShare: chance }),
  z.object({ what: z.literal('waiting for a core'), cpuShare: chance, coreWaitShare: chance }),
  z.object({
    what: z.literal('blocked'),
    call: text.describe('system call'),
    on: orNull(text, 'a path, a peer, pipe …; null when it cannot be told'),
  }),
  z.object({ what: z.literal('sleeping'), state: text.describe('a letter of proc_pid_stat(5)') }),
]);

export const rescueSchema = z.object({
  base: positive.describe('threads while none is blocked'),
  size: positive.describe('threads now'),
  max: positive.describe('threads at the most'),
  grown: count.describe('how often threads were added'),
  shrunk: count.describe('how often they were given back'),
  last: z
    .object({
      type: z.enum(['grow', 'shrink']),
      from: count,
      size: count,
      reason: text,
      at: ratio.describe('milliseconds since 1970'),
    })
    .nullable(),
});

export const poolActivitySchema = resultSchema('top', 'Result of plimsoll top --once', {
  takenAt: z.iso.datetime(),
  intervalMs: ratio.describe('between the two looks that shares follow from'),
  processes: z.array(
    z.object({
      pid: z.int(),
      ppid: z.int(),
      program: text.describe('its command line, without the path of Node and the text of -e'),
      threads: count.describe('pool threads; 0 before the first use of the pool, and where nothing tells'),
      countedBy: z
        .enum(['memory', 'name', 'creation'])
        .nullable()
        .describe(
          'libuv’s own counter, names of threads, threads created in one instant; null: nothing tells',
        ),
      size: positive.describe('what UV_THREADPOOL_SIZE gives at the start of the process'),
      parked: count.describe('threads that a resize has taken out of the pool, not in threads'),
      rescue: orNull(
        rescueSchema,
        'what rescueThreadPool() of @plimsoll/monitor does in the process; null: none runs',
      ),
      busy: count.describe('pool threads that run, wait for a core or are blocked in their work'),
      tellsCalls: z.boolean().describe('system calls could be read; else blocked threads seem idle'),
      seen: z.array(
        z.object({
          tid: z.int(),
          name: text,
          role: z
            .enum(['event loop', 'pool', 'runtime', 'other'])
            .describe('pool: of libuv; runtime: V8, the inspector, io_uring; other: Workers, add-ons'),
          doing: doingSchema,
        }),
      ),
    }),
  ),
});

export type PoolActivity = z.infer<typeof poolActivitySchema>;
export type SeenProcess = PoolActivity['processes'][number];
export type SeenThread = SeenProcess['seen'][number];
export type Doing = SeenThread['doing'];
export type RescueStatus = z.infer<typeof rescueSchema>;
