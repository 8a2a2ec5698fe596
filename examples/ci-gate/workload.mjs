import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const compress = promisify(gzip);
const page = randomBytes(100_000);

export const operations = 5; // of one call

export default async function ({ operations }) {
  await Promise.all(Array.from({ length: operations }, () => compress(page)));
}
