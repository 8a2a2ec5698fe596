import type { Environment } from '../../packages/plimsoll/dist/host/environment.js';
import { formatBytes } from '../../packages/plimsoll/dist/report/format.js';

/** Facts of the machine as a Markdown list; with the versions of packages, if there are any to name. */
export function environmentLines(
  environment: Environment,
  versions: Readonly<Record<string, string>> = {},
): string[] {
  const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return [...environmentFacts(environment), ...(named.length === 0 ? [] : [named.join(', ')])].map(
    (fact) => `- ${fact}`,
  );
}

const environmentFacts = ({ node, os, cpu, limits, filesystem }: Environment): string[] => [
  `Node ${node.version}, libuv ${node.libuv}, V8 ${node.v8}, OpenSSL ${node.openssl ?? 'unknown'}`,
  `${cpu.effectiveCpus} CPUs (${cpu.model ?? 'unknown model'}${cpu.hypervisor ? ', virtual machine' : ''}), ${formatBytes(os.memoryTotalBytes)} of memory, ${os.platform} ${os.kernel} ${os.arch}`,
  `CPU quota ${limits.cpuQuotaCores ?? 'none'}, filesystem ${filesystem.type ?? 'unknown'}, page cache warm`,
];
