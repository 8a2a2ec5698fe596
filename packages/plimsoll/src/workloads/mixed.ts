import { pbkdf2, randomBytes } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Parameters } from './parameters.js';
import { type RunContext, timed, type WorkRound } from './workload.js';

const derive = promisify(pbkdf2);
const compress = promisify(gzip);
const decompress = promisify(gunzip);

/**
 * The four kinds together, as a server does them: a request looks up its upstream, checks a password, stores and
 * reads a file and compresses the answer, one step after another, while other requests do the same. A fixed
 * number of requests is in flight; one operation is one request.
 */
export function prepareMixed(parameters: Parameters<'mixed'>, context: RunContext): WorkRound {
  const { iterations, digest, inFlight } = parameters;
  const body = randomBytes(parameters.bytes);

  async function request(index: number): Promise<void> {
    const path = join(context.directory, `${index}.bin`);
    await lookup(context.names[index % context.names.length] as string);
    await derive('correct horse battery staple', `salt ${index}`, iterations, 64, digest);
    await writeFile(path, body);
    const stored = await readFile(path);
    await unlink(path);
    const restored = await decompress(await compress(stored));
    if (!restored.equals(body)) throw new Error('gunzip did not return the original bytes');
  }

  return async (operations, record) => {
    const indices = Array.from({ length: operations }, (_, index) => index).values();
    const client = async (): Promise<void> => {
      for (const index of indices) await timed(record, () => request(index));
    };
    await Promise.all(Array.from({ length: Math.min(inFlight, operations) }, client));
  };
}
