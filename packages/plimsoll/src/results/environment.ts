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
    zlib: text,
    execArgv: z.string(),
    nodeOptions: text,
    uvThreadpoolSize: text,
    uvUseIoUring: text,
  }),
  os: z.object({
    platform: z.string(),
    arch: z.string(),
    kernel: z.string(),
    libc: z.enum(['glibc', 'musl']).nullable(),
    container: z.enum(['kubernetes', 'docker', 'podman', 'lxc', 'other']).nullable(),
    memoryTotalBytes: z.number(),
    load1: number,
    load5: number,
    load15: number,
    psi: z.boolean(),
    transparentHugepages: text,
    onBattery: flag,
    hottestCelsius: number,
  }),
  cpu: z.object({
    model: text,
    logicalCores: number,
    affinityCores: number,
    smt: flag,
    governor: text,
    turbo: flag,
    hypervisor: flag,
    numaNodes: number,
    effectiveCpus: z.number().describe('cores that the process can really get: affinity and quota'),
    cpuCount: z.number(),
    availableParallelism: z.number(),
  }),
  limits: z.object({
    layout: z.enum(['v1', 'v2', 'hybrid']).nullable(),
    cpuQuotaCores: number,
    cpuWeight: number,
    cpuShares: number,
    memoryLimitBytes: number,
    pidsMax: number,
    pidsCurrent: number,
    pidsHeadroom: number,
    cpuset: text,
    nrThrottled: number,
    maxUserProcesses: number,
  }),
  filesystem: z.object({ type: text, device: text, isMemory: flag }),
  resolver: z.object({
    nameservers: number,
    isLocal: flag,
    searchDomains: number,
    options: text,
    hosts: text,
  }),
}) satisfies z.ZodType<Environment>;
