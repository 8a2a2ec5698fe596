import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const file = new URL(import.meta.url);

export const checksum = async () =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
export const pause = () => sleep(10);
