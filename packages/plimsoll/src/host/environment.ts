/** What a result must say about its machine. Reports are published: no field may name a person, a machine or a place. */
import { release, totalmem } from 'node:os';
import { type CgroupFacts, readCgroup } from './cgroup.js';
import { type CpuFacts, effectiveCpus, readCpu } from './cpu.js';
import { type FilesystemFacts, filesystemOf } from './filesystem.js';
import { redactOptions, splitNodeOptions } from './node-options.js';

export interface Environment {
  node: {
    version: string;
    v8: string;
    libuv: string;
    openssl: string | null;
    /** Flags without values other than numbers; empty without flags. */
    execArgv: string;
    /** NODE_OPTIONS in the same form; `null` when it is not set. */
    nodeOptions: string | null;
  };
  os: { platform: string; arch: string; kernel: string; memoryTotalBytes: number };
  cpu: CpuFacts & { effectiveCpus: number };
  limits: CgroupFacts;
  filesystem: FilesystemFacts;
}

/** Never throws: what cannot be read is `null`. */
export function captureEnvironment(options: {
  directory: string;
  env?: NodeJS.ProcessEnv;
  root?: string;
}): Environment {
  const { directory, env = process.env, root = '/' } = options;
  const { platform, arch, versions, execArgv } = process;
  const { NODE_OPTIONS } = env;
  return {
    node: {
      version: versions.node,
      v8: versions.v8,
      libuv: versions.uv,
      openssl: versions.openssl ?? null,
      execArgv: redactOptions(execArgv),
      nodeOptions: NODE_OPTIONS === undefined ? null : redactOptions(splitNodeOptions(NODE_OPTIONS)),
    },
    os: { platform, arch, kernel: release(), memoryTotalBytes: totalmem() },
    cpu: { ...readCpu(root), effectiveCpus: effectiveCpus(root) },
    limits: readCgroup(root),
    filesystem: filesystemOf(directory),
  };
}
