import { pbkdf2, pbkdf2Sync, randomBytes } from 'node:crypto';
import { lookup, Resolver } from 'node:dns/promises';
import { readFile, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** What an operation may use; `names` are for lookups, the ports of servers on 127.0.0.1. */
export interface OperationContext {
  readonly directory: string;
  readonly names: readonly string[];
  readonly httpPort: number;
  readonly dnsPort: number;
}

export type Start = (index: number) => unknown;
type Operation = readonly [description: string, prepare: (context: OperationContext) => Start];

const MB = 2 ** 20;
const PBKDF2 = [200_000, 64, 'sha512'] as const;

/** The operations that `classify --draw` knows. */
export const operations = {
  'pbkdf2-sync': [
    'crypto.pbkdf2Sync, 200,000 iterations, sha512',
    () => (index) => void pbkdf2Sync('secret', `salt ${index}`, ...PBKDF2),
  ],
  pbkdf2: [
    'crypto.pbkdf2, 200,000 iterations, sha512',
    () => (index) => promisify(pbkdf2)('secret', `salt ${index}`, ...PBKDF2),
  ],
  http: [
    'http.get of a server on loopback that answers after 100 ms',
    ({ httpPort }) =>
      () =>
        download(httpPort),
  ],
  readFile: [
    'fs.readFile, 8 MB from the page cache',
    (context) => {
      const path = join(context.directory, 'file');
      writeFileSync(path, Buffer.alloc(8 * MB));
      return () => promisify(readFile)(path);
    },
  ],
  lookup: [
    'dns.lookup',
    ({ names }) =>
      (index) =>
        lookup(names[index % names.length] as string),
  ],
  resolve: [
    'dns.resolve4 using a DNS server on loopback that answers after 100 ms',
    ({ dnsPort }) => {
      const resolver = new Resolver();
      resolver.setServers([`127.0.0.1:${dnsPort}`]);
      return (index) => resolver.resolve4(`host-${index}.plimsoll.test`);
    },
  ],
  gzip: [
    'zlib.gzip, 1 MB of random data',
    () => {
      const data = randomBytes(MB);
      return () => promisify(gzip)(data);
    },
  ],
  randomBytes: ['crypto.randomBytes, 16 MB', () => () => promisify(randomBytes)(16 * MB)],
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;

export const operationNames = Object.keys(operations) as OperationName[];

export const isOperationName = (name: string): name is OperationName => Object.hasOwn(operations, name);

function download(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, agent: false }, (response) => {
      response.once('error', reject).once('end', resolve).resume();
    }).once('error', reject);
  });
}
