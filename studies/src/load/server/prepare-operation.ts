import { pbkdf2, randomBytes, scrypt } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { writeFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { prepareModule } from '@plimsoll/lab/child';
import type { OperationSpec, PreparedOperation } from '../operation-spec.js';
import { prepareSleep } from './sleep.js';

const derive = promisify(pbkdf2);
const deriveHard = promisify<string, string, number, object, Buffer>(scrypt);
const random = promisify<number, Buffer>(randomBytes);
const compress = promisify(gzip);

/** @param context an empty directory of the operation's own, and the size of the pool. */
export async function prepareOperation(
  spec: OperationSpec,
  context: { readonly directory: string; readonly size: number },
): Promise<PreparedOperation> {
  if (spec.kind === 'sleep') return prepareSleep(spec.ms, context.directory);
  if (spec.kind === 'module') {
    const { round, close } = await prepareModule(
      spec.url,
      { operations: null, scale: spec.scale },
      { ...context, names: [] },
    );
    return { run: () => round(1, () => {}), close };
  }
  const run = simple(spec, context.directory);
  return {
    async run() {
      await run();
    },
    close: async () => {},
  };
}

function simple(
  spec: Exclude<OperationSpec, { kind: 'sleep' | 'module' }>,
  directory: string,
): () => Promise<unknown> {
  switch (spec.kind) {
    case 'pbkdf2':
      return () => derive('a', 'b', spec.iterations, spec.keyBytes, spec.digest);
    case 'scrypt':
      return () => deriveHard('a', 'b', 64, { N: spec.cost, maxmem: 256 * spec.cost * 8 });
    case 'gzip': {
      const data = Buffer.alloc(spec.bytes, 'plimsoll ');
      return () => compress(data);
    }
    case 'randomBytes':
      return () => random(spec.bytes);
    case 'stat':
      return () => stat(directory);
    case 'readFile': {
      const path = join(directory, 'file.bin');
      writeFileSync(path, Buffer.alloc(spec.bytes, 'plimsoll '));
      return () => readFile(path);
    }
    case 'lookup':
      return () => lookup(spec.name);
  }
}
