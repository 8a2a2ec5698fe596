import type { Environment } from '../host/environment.js';

/** The machine in one line. */
export const machineLine = ({ node, cpu, filesystem }: Environment): string =>
  [
    `Node ${node.version}`,
    `libuv ${node.libuv}`,
    `${cpu.effectiveCpus} CPUs`,
    ...(cpu.model === null ? [] : [cpu.model]),
    ...(filesystem.type === null ? [] : [filesystem.type]),
  ].join(' · ');
