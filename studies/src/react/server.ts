import { plimsollPool } from '@plimsoll/fastify';
import { fastify as create, type FastifyInstance } from 'fastify';
import { type AnyPool, openPool } from '../common/pools.js';
import render from './worker.js';

const WORKER = new URL('./worker.js', import.meta.url);
const TASK = { name: 'James' };
/** So that a thousand connections at once are accepted, rather than left to the kernel's retries after a second. */
const BACKLOG = 4096;

export interface Server {
  readonly fastify: FastifyInstance;
  /** Undefined: every page is rendered by the thread of the server. */
  readonly pool: AnyPool | undefined;
}

/** The server of a contender: `none`, or `plimsoll` or `piscina` as they come, or `-kept`: idle workers stay. */
export async function openServer(contender: string): Promise<Server> {
  const fastify = create();
  const html = { 'content-type': 'text/html; charset=utf-8' };
  let pool: AnyPool | undefined;
  const [library = '', kept] = contender.split('-');
  const options = kept === undefined ? {} : { idleTimeout: 5000 };
  if (library === 'none') {
    fastify.get('/', (_, reply) => reply.headers(html).send(render(TASK)));
  } else if (library === 'plimsoll') {
    await fastify.register(plimsollPool, { filename: WORKER, ...options });
    pool = fastify.pool as unknown as AnyPool;
    fastify.get('/', async (_, reply) => reply.headers(html).send(await fastify.runTask(TASK)));
  } else {
    const opened = openPool(library, WORKER, options);
    pool = opened;
    fastify.get('/', async (_, reply) => reply.headers(html).send(await opened.run(TASK)));
  }
  await fastify.listen({ port: 0, host: '127.0.0.1', backlog: BACKLOG });
  return { fastify, pool };
}
