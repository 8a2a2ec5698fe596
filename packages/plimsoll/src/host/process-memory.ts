/** What the memory of another process tells; it needs the rights of ptrace, and an executable with symbols, as official ones of Node. */
import { findVariable, PoolMemory } from '@plimsoll/monitor/internal';
import { readMemory, readMemoryText } from './thread-activity.js';

/** How many threads libuv's own counter says, 0 before the pool's first job; `null` where the memory cannot be read. */
export function poolSizeInMemory(pid: number): number | null {
  const memory = PoolMemory.open(pid);
  try {
    return memory?.counters().size ?? null;
  } catch {
    return null;
  } finally {
    memory?.close();
  }
}

const POINTER_BYTES = 8;
const MOST_VARIABLES = 4096;

/**
 * A variable of a process's environment as it is now: /proc/PID/environ is that of its start.
 *
 * @returns `null` when it is not set; `undefined` where the memory cannot be read.
 */
export function variableInMemory(pid: number, name: string): string | null | undefined {
  const variable = findVariable('environ', pid);
  const list = variable === undefined ? null : readMemory(pid, BigInt(variable), POINTER_BYTES);
  if (list === null || list.length < POINTER_BYTES) return undefined;
  const start = list.readBigUInt64LE();
  for (let index = 0; index < MOST_VARIABLES; index++) {
    const pointer = readMemory(pid, start + BigInt(index * POINTER_BYTES), POINTER_BYTES);
    if (pointer === null || pointer.length < POINTER_BYTES) return undefined;
    const address = pointer.readBigUInt64LE();
    if (address === 0n) return null;
    const text = readMemoryText(pid, address);
    if (text?.startsWith(`${name}=`)) return text.slice(name.length + 1);
  }
  return undefined;
}
