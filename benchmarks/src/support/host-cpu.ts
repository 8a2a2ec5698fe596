import { readFileSync } from 'node:fs';

type ThreadCpuUsage = () => NodeJS.CpuUsage;

/**
 * CPU time of the calling thread in milliseconds. Node 20 and early 22 cannot tell it; there the kernel does (Linux),
 * whose id of the main thread is that of the process.
 */
export function hostCpuMs(): number {
  const { threadCpuUsage } = process as { threadCpuUsage?: ThreadCpuUsage };
  if (threadCpuUsage !== undefined) {
    const { user, system } = threadCpuUsage.call(process);
    return (user + system) / 1000;
  }
  const [onCpuNs] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ');
  return Number(onCpuNs) / 1e6;
}
