import { randomFillSync, scrypt, scryptSync } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify(scrypt) as (
  password: Uint8Array,
  salt: Uint8Array,
  length: number,
) => Promise<Buffer>;

const newSalt = (): Uint8Array => randomFillSync(new Uint8Array(16));

/** One key; libuv's pool does the work. */
export async function asynchronous({ password }: { password: Uint8Array }): Promise<string> {
  return (await derive(password, newSalt(), 64)).toString('hex');
}

/** One key; this thread does the work. */
export function synchronous({ password }: { password: Uint8Array }): string {
  return scryptSync(password, newSalt(), 64).toString('hex');
}
