export const operations = {
  'pbkdf2-sync': 'crypto.pbkdf2Sync, 200,000 iterations, sha512',
  pbkdf2: 'crypto.pbkdf2, 200,000 iterations, sha512',
  http: 'http.get',
  readFile: 'fs.readFile, 8 MB out of the page cache',
  lookup: 'dns.lookup',
  resolve: 'dns.resolve4 from a DNS server on loopback that answers after 100 ms',
  gzip: 'zlib.gzip of 1 MB of random data',
  randomBytes: 'crypto.randomBytes, 16 MB',
} as const;

export type OperationName = keyof typeof operations;

export const operationNames = Object.keys(operations) as OperationName[];

export const isOperationName = (name: string): name is OperationName => Object.hasOwn(operations, name);
