// Reads files in bursts, by callbacks or by promises.
import { readFile as readFileByCallback, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Opened, Yield } from '../common/study.js';

const byCallback = (file: string): Promise<Buffer> =>
  new Promise((resolve, reject) =>
    readFileByCallback(file, (error, bytes) => (error === null ? resolve(bytes) : reject(error))),
  );

export async function open(
  contender: string,
  { bytes = 4096, files = 200, bursts = 10 }: Readonly<Record<string, number>>,
): Promise<Opened> {
  const read = contender === 'promises' ? (file: string) => readFile(file) : byCallback;
  const paths = Array.from({ length: files }, (_, index) => join(tmpdir(), `file-${index}`));
  for (const path of paths) writeFileSync(path, Buffer.alloc(bytes));
  const round = async (): Promise<Yield> => {
    const started = performance.now();
    for (let burst = 0; burst < bursts; burst++) await Promise.all(paths.map(read));
    return { metrics: { us: ((performance.now() - started) * 1000) / (bursts * files) } };
  };
  for (let warmUp = 0; warmUp < 3; warmUp++) await round();
  return { round };
}
