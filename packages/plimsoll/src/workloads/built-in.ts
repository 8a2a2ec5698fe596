import { pbkdf2, randomBytes } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Parameters, WorkloadName } from './parameters.js';
import { type RunContext, timed, type WorkRound } from './workload.js';

const derive = promisify(pbkdf2);
const compress = promisify(gzip);
const decompress = promisify(gunzip);
const PASSWORD = 'correct horse battery staple';

/** All operations submitted at once, each recorded. */
const atOnce =
  (operation: (index: number) => Promise<unknown>): WorkRound =>
  async (operations, record) => {
    const indices = Array.from({ length: operations }, (_, index) => index);
    await Promise.all(indices.map((index) => timed(record, () => operation(index))));
  };

const inOrder =
  (...rounds: readonly WorkRound[]): WorkRound =>
  async (operations, record) => {
    for (const round of rounds) await round(operations, record);
  };

async function roundTrip(data: Buffer, compressed: Promise<Buffer>): Promise<void> {
  const restored = await decompress(await compressed);
  if (!restored.equals(data)) throw new Error('gunzip did not return the original bytes');
}

export const prepareRound: {
  [Name in WorkloadName]: (parameters: Parameters<Name>, context: RunContext) => WorkRound;
} = {
  /**
   * Write all files at once, then read all, then delete all. One operation is one file with three calls. The reads come from the
   * page cache, so this measures the pool and the filesystem, not a disk.
   */
  file({ bytes }, { directory }) {
    const content = Buffer.alloc(bytes, 'plimsoll ');
    const path = (index: number): string => join(directory, `${index}.bin`);
    return inOrder(
      atOnce((index) => writeFile(path(index), content)),
      atOnce(async (index) => {
        const { length } = await readFile(path(index));
        if (length !== bytes) throw new Error(`read ${length} of ${bytes} bytes from its own file`);
      }),
      atOnce((index) => unlink(path(index))),
    );
  },

  crypto: ({ iterations, keyBytes, digest }) =>
    atOnce((index) => derive(PASSWORD, `salt ${index}`, iterations, keyBytes, digest)),

  /** One operation is one buffer of random data with two calls; each call is a chain of pool jobs. */
  zlib({ bytes, level }) {
    const data = randomBytes(bytes);
    const compressed: Buffer[] = [];
    return inOrder(
      atOnce(async (index) => {
        compressed[index] = await compress(data, { level });
      }),
      atOnce((index) => roundTrip(data, Promise.resolve(compressed[index] as Buffer))),
    );
  },

  /** Slow I/O: libuv runs at most (size + 1) / 2 lookups at a time. */
  dns: (_, { names }) => atOnce((index) => lookup(names[index % names.length] as string)),

  /**
   * One operation is one request of a server: look up an upstream, check a password, store and read a file, compress the answer,
   * step by step. A fixed number of requests is in flight.
   */
  mixed({ bytes, iterations, digest, inFlight }, { directory, names }) {
    const body = randomBytes(bytes);
    const request = async (index: number): Promise<void> => {
      const path = join(directory, `${index}.bin`);
      await lookup(names[index % names.length] as string);
      await derive(PASSWORD, `salt ${index}`, iterations, 64, digest);
      await writeFile(path, body);
      const stored = await readFile(path);
      await unlink(path);
      await roundTrip(body, compress(stored));
    };
    return async (operations, record) => {
      const indices = Array.from({ length: operations }, (_, index) => index).values();
      const client = async (): Promise<void> => {
        for (const index of indices) await timed(record, () => request(index));
      };
      await Promise.all(Array.from({ length: Math.min(inFlight, operations) }, client));
    };
  },
};
