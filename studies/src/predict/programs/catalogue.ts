import type { Input } from './inputs.js';
import { textPath } from './inputs.js';

/** What a client sends; the same requests in the same order in every slice. */
export interface Exchange {
  readonly method: 'GET' | 'POST';
  path(index: number): string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** `closed`: so many connections, each of which sends its next request when it has the answer. `open`: so many a second, at random moments. */
export type Traffic =
  | { readonly kind: 'closed'; readonly connections: number }
  | { readonly kind: 'open'; readonly perSecond: number };

interface Common {
  readonly name: string;
  readonly what: string;
  /** The packages that it is made of; none for what is Node's own. */
  readonly packages: readonly string[];
  readonly input: Input;
}

export interface ServerProgram extends Common {
  readonly kind: 'server';
  readonly traffic: Traffic;
  readonly exchange: Exchange;
}

export interface CommandProgram extends Common {
  readonly kind: 'command';
  /** One of which takes so long that all of them take one to four seconds. */
  readonly unit: string;
  readonly units: number;
}

export type Program = ServerProgram | CommandProgram;

const UPLOAD_BYTES = 512 * 1024;
const BOUNDARY = 'plimsoll-study';
const upload = Buffer.concat([
  Buffer.from(
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="file.bin"\r\nContent-Type: application/octet-stream\r\n\r\n`,
  ),
  Buffer.alloc(UPLOAD_BYTES, 'plimsoll'),
  Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
]);

const items: Exchange = { method: 'GET', path: (index) => `/items/${(index * 997) % 5000}` };

/** Programs from npm, in alphabetical order. */
export const PROGRAMS: readonly Program[] = [
  {
    name: 'archiver',
    kind: 'command',
    what: 'zips of folders of text, four at a time',
    packages: ['archiver'],
    input: 'text',
    unit: 'zip',
    units: 72,
  },
  {
    name: 'better-sqlite3',
    kind: 'server',
    what: 'express with synchronous queries in memory: the pool has nothing to do',
    packages: ['express', 'better-sqlite3'],
    input: 'none',
    traffic: { kind: 'closed', connections: 4 },
    exchange: items,
  },
  {
    name: 'eslint',
    kind: 'command',
    what: 'lints folders of modules, one after the other',
    packages: ['eslint'],
    input: 'modules',
    unit: 'folder',
    units: 8,
  },
  {
    name: 'express-bcrypt',
    kind: 'server',
    what: 'express, where each request compares a password with its hash',
    packages: ['express', 'bcrypt'],
    input: 'none',
    traffic: { kind: 'closed', connections: 20 },
    exchange: {
      method: 'POST',
      path: () => '/login',
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify({ password: 'correct horse' })),
    },
  },
  {
    name: 'fastify-static',
    kind: 'server',
    what: 'fastify with files of 1 to 64 KB',
    packages: ['fastify', '@fastify/static'],
    input: 'text',
    traffic: { kind: 'closed', connections: 16 },
    exchange: { method: 'GET', path: (index) => textPath(index * 37) },
  },
  {
    name: 'fs-cp',
    kind: 'command',
    what: 'copies folders by fs.cp, eight at a time',
    packages: [],
    input: 'text',
    unit: 'folder',
    units: 240,
  },
  {
    name: 'koa-scrypt',
    kind: 'server',
    what: 'koa with sessions, where each request derives a key',
    packages: ['koa', 'koa-session'],
    input: 'none',
    traffic: { kind: 'open', perSecond: 150 },
    exchange: { method: 'GET', path: () => '/' },
  },
  {
    name: 'multer-upload',
    kind: 'server',
    what: 'express, where each request uploads 512 KB to a file',
    packages: ['express', 'multer'],
    input: 'none',
    traffic: { kind: 'closed', connections: 8 },
    exchange: {
      method: 'POST',
      path: () => '/upload',
      headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
      body: upload,
    },
  },
  {
    name: 'npm-pack',
    kind: 'command',
    what: 'libnpmpack, which is `npm pack`, in one folder after the other',
    packages: ['libnpmpack'],
    input: 'text',
    unit: 'package',
    units: 48,
  },
  {
    name: 'rollup',
    kind: 'command',
    what: 'bundles of folders of modules, one after the other',
    packages: ['rollup'],
    input: 'modules',
    unit: 'bundle',
    units: 12,
  },
  {
    name: 'sharp',
    kind: 'command',
    what: 'makes images smaller, eight at a time; libvips has threads of its own',
    packages: ['sharp'],
    input: 'none',
    unit: 'image',
    units: 150,
  },
  {
    name: 'sqlite3',
    kind: 'server',
    what: 'express with queries in memory on the pool, eight connections to databases',
    packages: ['express', 'sqlite3'],
    input: 'none',
    traffic: { kind: 'open', perSecond: 150 },
    exchange: items,
  },
  {
    name: 'tar-create',
    kind: 'command',
    what: 'compressed archives of folders of text, four at a time',
    packages: ['tar'],
    input: 'text',
    unit: 'archive',
    units: 72,
  },
  {
    name: 'tar-extract',
    kind: 'command',
    what: 'the content of such archives, four at a time',
    packages: ['tar'],
    input: 'text',
    unit: 'archive',
    units: 144,
  },
];
