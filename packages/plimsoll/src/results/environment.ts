import { z } from 'zod';
import type { Environment } from '../host/environment.js';

const text = z.string().nullable();
const number = z.number().nullable();
const flag = z.boolean().nullable();

/** Facts of the machine, as `captureEnvironment` of the host floor gives them; nothing in it names a person or a place. */
export const environmentSchema = z.object({
  node: z.object({
    version: z.string(),
    v8: z.string(),
    libuv: z.string(),
    openssl: text,
    execArgv: z.string(),
    nodeOptions: text,
  }),
  os: z.object({
    platform: z.string(),
    arch: z.string(),
    kernel: z.string(),
    memoryTotalBytes: z.number(),
  }),
  cpu: z.object({
    model: text,
    hypervisor: flag,
    effectiveCpus: z.number().describe('cores that the process can really get: affinity and quota'),
  }),
  limits: z.object({
    cpuQuotaCores: number,
    pidsHeadroom: number,
  }),
  filesystem: z.object({ type: text, isMemory: flag }),
}) satisfies z.ZodType<Environment>;
