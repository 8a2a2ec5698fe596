import type { Environment } from '../host/environment.js';
import type { Report } from './document.js';
import { formatBytes } from './format.js';

export const machineLine = ({ node, cpu, filesystem }: Environment): string =>
  [
    `Node ${node.version}`,
    `libuv ${node.libuv}`,
    `${cpu.effectiveCpus} CPUs`,
    ...(cpu.model === null ? [] : [cpu.model]),
    ...(filesystem.type === null ? [] : [filesystem.type]),
  ].join(' · ');

export const headLines = ({ environment, about = [] }: Report): string[] =>
  [environment === undefined ? null : machineLine(environment), ...about].filter((line) => line !== null);

export const environmentFacts = ({ node, os, cpu, limits, filesystem }: Environment): string[] => [
  `Node ${node.version}, libuv ${node.libuv}, V8 ${node.v8}, OpenSSL ${node.openssl ?? 'unknown'}`,
  `${cpu.effectiveCpus} CPUs (${cpu.model ?? 'unknown model'}${cpu.hypervisor ? ', virtual machine' : ''}), ${formatBytes(os.memoryTotalBytes)} of memory, ${os.platform} ${os.kernel} ${os.arch}`,
  `CPU quota ${limits.cpuQuotaCores ?? 'none'}, filesystem ${filesystem.type ?? 'unknown'}, page cache warm`,
];
