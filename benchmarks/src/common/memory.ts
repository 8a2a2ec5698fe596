import { readFileSync } from 'node:fs';

const MB = 2 ** 20;

export const rssMb = (): number => process.memoryUsage.rss() / MB;

/**
 * The most memory that the process has had so far. Linux's own mark (VmHWM) where there is one: it misses no spike, and
 * unlike getrusage it does not begin at the size of the parent.
 */
export function peakRssMb(): number {
  try {
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    return Number(kilobytes) / 1024;
  } catch {
    return (process.resourceUsage().maxRSS * 1024) / MB;
  }
}
