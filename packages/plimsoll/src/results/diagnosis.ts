import { z } from 'zod';
import { findingSchema } from './finding.js';
import { listOf, orNull, positive, ratio, resultSchema, text } from './parts.js';

export const diagnosedProcessSchema = z.object({
  pid: z.int(),
  script: text.nullable(),
  node: orNull(text, 'null for a process that was looked at from outside'),
  asked: orNull(text, 'UV_THREADPOOL_SIZE as the process has it at last; null when it is not set'),
  size: positive.describe('pool threads that it has, or gets with its first job'),
  countedBy: z
    .enum(['preload', 'memory', 'name', 'creation'])
    .nullable()
    .describe('how the threads were counted; null: they were not, and the size follows from the variable'),
  usedBy: z.enum(['app', 'doctor', 'nobody', 'unknown']).describe('whose job made libuv create the threads'),
});

export const diagnosisSchema = resultSchema('diagnosis', 'Result of plimsoll doctor', {
  command: listOf(text, 'empty when a process was looked at, or the machine alone'),
  startedAt: z.iso.datetime(),
  interrupted: z.boolean(),
  failure: orNull(text, 'how the command ended when it failed by itself: exit code 1; else null'),
  effectiveCpus: ratio.describe('cores that a process really gets here'),
  processes: z.array(diagnosedProcessSchema),
  isRight: z
    .boolean()
    .nullable()
    .describe('every process has the size that was asked for; null: cannot tell, nothing was counted'),
  findings: z.array(findingSchema),
});

export type Diagnosis = z.infer<typeof diagnosisSchema>;
export type DiagnosedProcess = z.infer<typeof diagnosedProcessSchema>;
