/**
 * Everything about the machine that a result must carry to be understood and compared later.
 *
 * Reports are published, so nothing here names a person, a machine or a place: no host name, user name, path, address or
 * search domain. A new field must keep to that: take a count, a kind or a yes/no instead of the text.
 */
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
    /** Flags, their values left out unless they are numbers; empty without flags. */
    execArgv: string;
    /** NODE_OPTIONS, treated in the same way; `null` when it is not set. */
    nodeOptions: string | null;
  };
  os: { platform: string; arch: string; kernel: string; memoryTotalBytes: number };
  /** With the cores that this process can really get, a fraction: see effectiveCpus(). */
  cpu: CpuFacts & { effectiveCpus: number };
  limits: CgroupFacts;
  filesystem: FilesystemFacts;
}

interface CaptureOptions {
  directory: string;
  env?: NodeJS.ProcessEnv;
  root?: string;
}

/** Captures the environment, synchronously and without the pool. Never throws: what cannot be read is `null`. */
export function captureEnvironment({
  directory,
  env = process.env,
  root = '/',
}: CaptureOptions): Environment {
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
