import { z } from 'zod';
import type { Environment } from '../host/environment.js';
import { text } from './parts.js';

const textOrNull = text.nullable();
const flag = z.boolean().nullable();

/** Facts of the machine, as `captureEnvironment` of the host floor gives them; nothing in it names a person or a place. */
export const environmentSchema = z.object({
  node: z.object({
    ...{ version: text, v8: text, libuv: text, openssl: textOrNull },
    ...{ execArgv: text, nodeOptions: textOrNull },
  }),
  os: z.object({ platform: text, arch: text, kernel: text, memoryTotalBytes: z.number() }),
  cpu: z.object({
    model: textOrNull,
    hypervisor: flag,
    effectiveCpus: z.number().describe('cores that the process can really get: affinity and quota'),
  }),
  limits: z.object({ cpuQuotaCores: z.number().nullable(), pidsHeadroom: z.number().nullable() }),
  filesystem: z.object({ type: textOrNull, isMemory: flag }),
}) satisfies z.ZodType<Environment>;
