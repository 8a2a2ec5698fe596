// What readers are assumed to have: programs and results of theirs, beside what a page itself shows.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../run.mjs';

const RESULT = readFileSync(join(root, 'docs/results/bench.json'), 'utf8');

/** Half of the work of this server and of these programs is libuv's pool's. */
const SERVER = `import { pbkdf2 } from 'node:crypto';
import { createServer } from 'node:http';
createServer((request, response) => {
  pbkdf2('secret', 'salt', 2000, 64, 'sha512', () => response.end('ok'));
}).listen(process.env.PORT ?? 3000, '127.0.0.1');
`;
const PROGRAM = `import { pbkdf2 } from 'node:crypto';
for (let job = 0; job < 16; job++) pbkdf2('secret', 'salt', 20_000, 64, 'sha512', () => {});
`;
const WORK = `import { pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';
export default () => promisify(pbkdf2)('secret', 'salt', 1000, 64, 'sha512');
`;
const WORKER = `export const add = ({ a, b }) => a + b;
export default add;
`;

/** In the folder of every page, unless the page shows a file of that name. @type {Record<string, string>} */
export const FILES = {
  'server.js': SERVER,
  'app.js': PROGRAM,
  'build.js': PROGRAM,
  'replay.js': PROGRAM,
  'work.mjs': WORK,
  'my-workload.mjs': WORK,
  '../main/work.mjs': WORK,
  'worker.js': WORKER,
  'tasks.js': WORKER,
  'bench.json': RESULT,
  'tuned.json': RESULT,
  'result.json': RESULT,
};

/** Packages of others that pages take for granted. */
export const PACKAGES = [
  'autocannon@9',
  'bcrypt@6',
  'esbuild@0.28',
  'expect@30',
  'fastify@5',
  '@vercel/ncc@0.38',
];

/**
 * @typedef {object} Setup
 * @property {Record<string, string>} [files]
 * @property {string} [globals] a module that runs before the blocks of JavaScript: what the text between them names
 * @property {string} [pid] of a process of server.js that runs meanwhile, as the page writes it
 * @property {boolean} [redis]
 * @property {NodeJS.ProcessEnv} [env]
 * @property {number[]} [exitCodes] that are answers, too
 */

/** @type {Record<string, Setup>} */
export const SETUPS = {
  'packages/bullmq/README.md': { redis: true },
  'docs/reference/fleet.md': { redis: true },
  'docs/reference/library.md': { files: { 'my-work.mjs': WORK }, exitCodes: [3] },
  'docs/reference/pool.md': {
    files: {
      'worker.js': `${WORKER}export const render = () => {};\n`,
      'thumbnails.js': WORKER,
      'rules.js': 'export const loadRules = () => {};\nexport const check = () => true;\n',
      'large.log': 'a line\n',
    },
    // The page about the monitor opens the same port.
    globals: `import { Server } from 'node:net';
      const { listen } = Server.prototype;
      Server.prototype.listen = function (_port, ...rest) { return listen.call(this, 0, ...rest); };`,
  },
  'docs/reference/monitor.md': { env: { UV_THREADPOOL_SIZE: '32' } },
  'packages/fastify/README.md': {
    files: { 'pages.js': WORKER, 'images.js': WORKER },
    globals: `import plimsollPool from '@plimsoll/fastify';
      import { fastify as create } from 'fastify';
      const [pages, images] = ['pages.js', 'images.js'].map((file) => process.cwd() + '/' + file);
      Object.assign(globalThis, { plimsollPool, fastify: create(), pages, images });`,
  },
  'docs/guide/bundling.md': {
    files: {
      'src/tasks.js': WORKER,
      'src/main.js': `import { Pool } from '@plimsoll/pool';
        const pool = new Pool({ filename: new URL('./tasks.js', import.meta.url) });
        console.log(await pool.run({ a: 4, b: 6 }, { name: 'add' }));
        await pool.close();`,
    },
    globals: `globalThis.main = async (pool) => {
        if ((await pool.run({ a: 4, b: 6 }, { name: 'add' })) !== 10) throw new Error('a wrong result');
        await pool.close();
      };
      globalThis.nodeResolve = () => ({ name: 'node-resolve' });`,
  },
  'packages/pool/README.md': {
    files: {
      'functions.js': `export const render = () => {};
        export const parse = JSON.parse;
        export function* primes(limit) { for (let number = 1000; number < limit; number++) yield number; }`,
    },
    globals: `import { Pool, PoolError } from '@plimsoll/pool';
      const pool = new Pool({ filename: process.cwd() + '/functions.js' });
      Object.assign(globalThis, { pool, PoolError, task: '[]' });`,
  },
  'packages/monitor/README.md': { env: { UV_THREADPOOL_SIZE: '32' } },
  'docs/guide/my-pool-hangs.md': { pid: '14216', env: { UV_THREADPOOL_SIZE: '32' } },
  // A short or noisy comparison cannot tell.
  'packages/plimsoll/README.md': { exitCodes: [3] },
  'docs/guide/pm2.md': { pid: '4711' },
  'docs/guide/sizing-your-pool.md': { pid: '4711' },
  'docs/guide/testing.md': {
    files: {
      'values.js': `export default (value) => {
        if (value === 'bad') throw new TypeError(value);
        if (value === 'big') return () => value;
        return [value];
      };`,
    },
    globals: `import { after, before, test } from 'node:test';
      import { Pool } from '@plimsoll/pool';
      import { expect } from 'expect';
      const pool = new Pool({ filename: process.cwd() + '/values.js', minThreads: 0, idleTimeout: 100 });
      const values = { bad: 'bad', list: 'list', big: 'big' };
      const { PoolError } = await import('@plimsoll/pool');
      Object.assign(globalThis, { afterAll: after, beforeAll: before, expect, pool, PoolError, test, ...values });`,
  },
};
