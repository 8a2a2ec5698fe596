import type { Environment } from '../host/environment.js';

/** Facts that are not the same in two results, and what they are in each. */
export interface Differences {
  readonly what: readonly string[];
  readonly old: readonly string[];
  readonly new: readonly string[];
}

type Facts = readonly (readonly [what: string, value: (environment: Environment) => unknown])[];

/** Where one of these differs, times do not say anything about the code. */
export const MACHINE: Facts = [
  ['CPU', ({ cpu }) => cpu.model],
  ['cores', ({ cpu }) => cpu.effectiveCpus],
  ['CPU quota', ({ limits }) => limits.cpuQuotaCores],
  ['platform', ({ os }) => os.platform],
  ['architecture', ({ os }) => os.arch],
  ['virtual machine', ({ cpu }) => cpu.hypervisor],
  ['memory', ({ os }) => os.memoryTotalBytes],
  ['filesystem', ({ filesystem }) => filesystem.type],
];

/** What may be the very thing that is compared; worth a word. */
export const SOFTWARE: Facts = [
  ['Node', ({ node }) => node.version],
  ['libuv', ({ node }) => node.libuv],
  ['OpenSSL', ({ node }) => node.openssl],
  ['kernel', ({ os }) => os.kernel],
  ['options of Node', ({ node }) => `${node.execArgv} ${node.nodeOptions ?? ''}`.trim()],
];

/** @returns `null` when there are none, as far as can be seen. */
export function differences(facts: Facts, old: Environment, now: Environment): Differences | null {
  const differing = facts.filter(([, value]) => value(old) !== value(now));
  if (differing.length === 0) return null;
  return {
    what: differing.map(([what]) => what),
    old: differing.map(([, value]) => textOf(value(old))),
    new: differing.map(([, value]) => textOf(value(now))),
  };
}

const textOf = (value: unknown): string => (value === null || value === '' ? 'none' : String(value));
