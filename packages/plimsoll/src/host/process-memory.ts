/** The memory of another process; reading it needs the rights of ptrace. */
import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { findVariable, PoolMemory } from '@plimsoll/monitor/internal';

export function readMemory(pid: number, address: bigint, length: number, root = '/'): Buffer | null {
  let file: number | null = null;
  try {
    file = openSync(join(root, `/proc/${pid}/mem`), 'r');
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(file, bytes, 0, length, address));
  } catch {
    return null;
  } finally {
    if (file !== null) closeSync(file);
  }
}

const LONGEST_TEXT = 256;

export function readMemoryText(pid: number, address: bigint, root = '/'): string | null {
  const bytes = readMemory(pid, address, LONGEST_TEXT, root) ?? readMemory(pid, address, 32, root);
  return bytes?.toString('utf8').split('\0', 1)[0] ?? null;
}

/** libuv's thread counter, 0 before the pool's first job; `null` where memory or symbols (in official builds) cannot be read. */
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

/** A variable as it is now; /proc/PID/environ has its start. `null`: not set; `undefined`: the memory cannot be read. */
export function variableInMemory(pid: number, name: string): string | null | undefined {
  const pointerAt = (address: bigint): bigint | undefined => {
    const bytes = readMemory(pid, address, POINTER_BYTES);
    return bytes?.length === POINTER_BYTES ? bytes.readBigUInt64LE() : undefined;
  };
  const variable = findVariable('environ', pid);
  const list = variable === undefined ? undefined : pointerAt(BigInt(variable));
  if (list === undefined) return undefined;
  for (let index = 0; index < MOST_VARIABLES; index++) {
    const address = pointerAt(list + BigInt(index * POINTER_BYTES));
    if (address === undefined) return undefined;
    if (address === 0n) return null;
    const text = readMemoryText(pid, address);
    if (text?.startsWith(`${name}=`)) return text.slice(name.length + 1);
  }
  return undefined;
}
