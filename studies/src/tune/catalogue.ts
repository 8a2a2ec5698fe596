import { type Input, textPath } from './inputs.js';

/** What clients send, again and again; each connection sends its next request when it has the answer. */
export interface Requests {
  readonly connections: number;
  readonly method?: 'POST' | 'PUT';
  /** Taken in turn. */
  readonly paths: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Requests a second, of an open stream. */
  readonly rate?: number;
}

/** What makes system calls or lookups slow, as a disk across the network or a distant name server does. */
export type Slowness =
  | { readonly kind: 'system calls'; readonly calls: readonly string[]; readonly delayMs: number }
  | { readonly kind: 'lookups'; readonly delayMs: number };

interface Common {
  readonly name: string;
  readonly what: string;
  /** The packages that it is made of; none for Node's own functions. */
  readonly packages: readonly string[];
  readonly input: Input;
  /** `tune` was first run on it after the list was committed, and was never changed for it. */
  readonly heldOut: boolean;
  readonly slow?: Slowness;
}

export interface ServerProgram extends Common {
  readonly kind: 'server';
  readonly requests: Requests;
}

export interface CommandProgram extends Common {
  readonly kind: 'command';
  readonly units: number;
}

export type Program = ServerProgram | CommandProgram;

/** A command line holds no argument of 128 KiB. */
const UPLOAD_BYTES = 96 * 1024;
const BOUNDARY = 'plimsoll-study';
const upload = [
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="file.bin"\r\n`,
  'Content-Type: application/octet-stream\r\n\r\n',
  'plimsoll'.repeat(UPLOAD_BYTES / 8),
  `\r\n--${BOUNDARY}--\r\n`,
].join('');

const login = {
  method: 'POST',
  paths: ['/login'],
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ password: 'correct horse' }),
} as const;

const texts = Array.from({ length: 16 }, (_, index) => textPath(index * 37));
const items = Array.from({ length: 8 }, (_, index) => `/items/${(index * 997) % 5000}`);

const slowCalls = (delayMs: number, ...calls: string[]): Slowness => ({
  kind: 'system calls',
  calls,
  delayMs,
});

/** In alphabetical order. The half that is not held out was in view while `tune` was written, or is close to what was. */
export const PROGRAMS: readonly Program[] = [
  {
    name: 'archiver',
    kind: 'command',
    what: 'zips folders of text, four at a time',
    packages: ['archiver'],
    input: 'text',
    heldOut: false,
    units: 24,
  },
  {
    name: 'argon2-login',
    kind: 'server',
    what: 'fastify; each request verifies a password with argon2',
    packages: ['fastify', 'argon2'],
    input: 'none',
    heldOut: true,
    requests: { ...login, connections: 12 },
  },
  {
    name: 'atomic-upload',
    kind: 'server',
    what: 'writes each upload to a file with fsync and a rename, on a disk that needs 8 ms for an fsync',
    packages: ['write-file-atomic'],
    input: 'none',
    heldOut: true,
    slow: slowCalls(8, 'fsync'),
    requests: { method: 'POST', paths: ['/'], body: 'plimsoll'.repeat(2048), connections: 24 },
  },
  {
    name: 'axios-proxy',
    kind: 'server',
    what: 'express in front of another service; connections stay open, so lookups of 20 ms are few',
    packages: ['express', 'axios'],
    input: 'none',
    heldOut: true,
    slow: { kind: 'lookups', delayMs: 20 },
    requests: { paths: ['/stock'], connections: 24 },
  },
  {
    name: 'express-bcrypt',
    kind: 'server',
    what: 'express; each request compares a password with its hash',
    packages: ['express', 'bcrypt'],
    input: 'none',
    heldOut: false,
    requests: { ...login, connections: 20 },
  },
  {
    name: 'express-compression',
    kind: 'server',
    what: 'express with compression; each request is answered with 50 KB of JSON',
    packages: ['express', 'compression'],
    input: 'none',
    heldOut: true,
    requests: { paths: ['/products'], headers: { 'accept-encoding': 'gzip' }, connections: 12 },
  },
  {
    name: 'fast-glob',
    kind: 'command',
    what: 'lists folders with the size of each file, where a stat takes 1 ms',
    packages: ['fast-glob'],
    input: 'text',
    heldOut: true,
    slow: slowCalls(1, 'statx', 'newfstatat', 'lstat'),
    units: 3,
  },
  {
    name: 'fastify-static',
    kind: 'server',
    what: 'fastify with files of 1 to 64 KB',
    packages: ['fastify', '@fastify/static'],
    input: 'text',
    heldOut: false,
    requests: { paths: texts, connections: 16 },
  },
  {
    name: 'fastify-static-slow',
    kind: 'server',
    what: 'the same files on a disk that needs 4 ms to open one',
    packages: ['fastify', '@fastify/static'],
    input: 'text',
    heldOut: false,
    slow: slowCalls(4, 'openat'),
    requests: { paths: texts, connections: 16 },
  },
  {
    name: 'fetch-proxy',
    kind: 'server',
    what: 'fastify in front of another service by fetch, a connection and a lookup of 20 ms for each request',
    packages: ['fastify'],
    input: 'none',
    heldOut: false,
    slow: { kind: 'lookups', delayMs: 20 },
    requests: { paths: ['/stock'], connections: 24 },
  },
  {
    name: 'fs-cp',
    kind: 'command',
    what: 'copies folders with fs.cp, eight at a time',
    packages: [],
    input: 'text',
    heldOut: false,
    units: 40,
  },
  {
    name: 'fs-extra-copy',
    kind: 'command',
    what: 'copies folders with fs-extra, four at a time',
    packages: ['fs-extra'],
    input: 'text',
    heldOut: true,
    units: 32,
  },
  {
    name: 'jose-sign',
    kind: 'server',
    what: 'express; each request signs a token with RSA by WebCrypto',
    packages: ['express', 'jose'],
    input: 'none',
    heldOut: true,
    requests: { method: 'POST', paths: ['/token'], connections: 16 },
  },
  {
    name: 'koa-scrypt',
    kind: 'server',
    what: 'koa with sessions, an open stream of requests; each derives a key',
    packages: ['koa', 'koa-session'],
    input: 'none',
    heldOut: false,
    requests: { paths: ['/'], connections: 40, rate: 100 },
  },
  {
    name: 'level-put',
    kind: 'server',
    what: 'fastify; each request writes one key to LevelDB, on a disk that needs 8 ms for an fdatasync',
    packages: ['fastify', 'classic-level'],
    input: 'none',
    heldOut: true,
    slow: slowCalls(8, 'fdatasync', 'fsync'),
    requests: { method: 'PUT', paths: ['/items'], connections: 24 },
  },
  {
    name: 'multer-upload',
    kind: 'server',
    what: 'express; each request uploads 96 KB to a file',
    packages: ['express', 'multer'],
    input: 'none',
    heldOut: false,
    requests: {
      method: 'POST',
      paths: ['/upload'],
      headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
      body: upload,
      connections: 8,
    },
  },
  {
    name: 'rimraf',
    kind: 'command',
    what: 'removes folders, four at a time, where an unlink takes 2 ms',
    packages: ['rimraf'],
    input: 'text',
    heldOut: true,
    slow: slowCalls(2, 'unlink'),
    units: 12,
  },
  {
    name: 'rollup',
    kind: 'command',
    what: 'bundles folders of modules, one after the other',
    packages: ['rollup'],
    input: 'modules',
    heldOut: false,
    units: 5,
  },
  {
    name: 'send-files',
    kind: 'server',
    what: 'files of 1 to 64 KB with send, on a disk that needs 3 ms for a stat or an open',
    packages: ['send'],
    input: 'text',
    heldOut: true,
    slow: slowCalls(3, 'openat', 'statx'),
    requests: { paths: texts, connections: 32 },
  },
  {
    name: 'sharp',
    kind: 'command',
    what: 'makes images smaller, eight at a time; libvips has threads of its own',
    packages: ['sharp'],
    input: 'none',
    heldOut: false,
    units: 40,
  },
  {
    name: 'sqlite3',
    kind: 'server',
    what: 'express with queries in memory on the pool, eight connections to databases',
    packages: ['express', 'sqlite3'],
    input: 'none',
    heldOut: false,
    requests: { paths: items, connections: 16 },
  },
  {
    name: 'sqlite3-insert',
    kind: 'server',
    what: 'express; each request is a transaction in one of 16 SQLite files, on a disk that needs 6 ms for an fdatasync',
    packages: ['express', 'sqlite3'],
    input: 'none',
    heldOut: true,
    slow: slowCalls(6, 'fdatasync', 'fsync'),
    requests: { method: 'POST', paths: ['/events'], connections: 24 },
  },
  {
    name: 'tar-create',
    kind: 'command',
    what: 'makes compressed archives of folders of text, four at a time',
    packages: ['tar'],
    input: 'text',
    heldOut: false,
    units: 24,
  },
  {
    name: 'zip-extract',
    kind: 'command',
    what: 'extracts zip files, four at a time, on a disk that needs 2 ms to open a file',
    packages: ['extract-zip', 'archiver'],
    input: 'text',
    heldOut: true,
    slow: slowCalls(2, 'openat'),
    units: 6,
  },
];
