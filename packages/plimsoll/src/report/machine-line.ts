import type { Environment } from '../host/environment.js';
import type { Report } from './document.js';

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
