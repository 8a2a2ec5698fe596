import { pbkdf2, pbkdf2Sync, randomBytes } from 'node:crypto';
import { lookup, Resolver } from 'node:dns/promises';
import { readFile, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { get as getSecurely } from 'node:https';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { loadTarget } from '../../workloads/target.js';
import type { DrawJob } from '../messages.js';
import type { OperationName } from '../operations.js';

const MB = 2 ** 20;
const PBKDF2 = { iterations: 200_000, keyBytes: 64, digest: 'sha512' } as const;

export type Start = (index: number) => unknown;

export async function prepareRequests(job: DrawJob): Promise<Start> {
  const { subject } = job;
  return subject.kind === 'target' ? loadTarget(subject.target) : builtIn[subject.name](job);
}

const builtIn: Record<OperationName, (job: DrawJob) => Start> = {
  'pbkdf2-sync': () => (index) => {
    pbkdf2Sync('secret', `salt ${index}`, PBKDF2.iterations, PBKDF2.keyBytes, PBKDF2.digest);
  },
  pbkdf2: () => (index) =>
    promisify(pbkdf2)('secret', `salt ${index}`, PBKDF2.iterations, PBKDF2.keyBytes, PBKDF2.digest),
  http:
    ({ url }) =>
    () =>
      download(url),
  readFile({ directory }) {
    const path = join(directory, 'file');
    writeFileSync(path, Buffer.alloc(8 * MB));
    return () => promisify(readFile)(path);
  },
  lookup:
    ({ names }) =>
    (index) =>
      lookup(names[index % names.length] as string),
  resolve({ dnsPort }) {
    const resolver = new Resolver();
    resolver.setServers([`127.0.0.1:${dnsPort}`]);
    return (index) => resolver.resolve4(`host-${index}.plimsoll.test`);
  },
  gzip() {
    const data = randomBytes(MB);
    return () => promisify(gzip)(data);
  },
  randomBytes: () => () => promisify(randomBytes)(16 * MB),
};

function download(url: string): Promise<void> {
  const start = url.startsWith('https:') ? getSecurely : get;
  return new Promise((resolve, reject) => {
    start(url, { agent: false }, (response) => {
      response.once('error', reject).once('end', resolve).resume();
    }).once('error', reject);
  });
}
