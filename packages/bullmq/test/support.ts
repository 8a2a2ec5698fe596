import { after } from 'node:test';
// @ts-expect-error a script without declarations
import { findRedis, startRedis as start } from '../../../scripts/redis.mjs';

/** See scripts/redis.mjs. */
export interface RedisServer {
  readonly url: string;
  readonly port: number;
  start(): Promise<void>;
  shutdown(): Promise<void>;
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** An option of tests: without Redis they are skipped, which `--no-skips` makes a failure. */
export const needsRedis: { skip: string | false } = {
  skip: findRedis() === null && 'there is no redis-server on this machine',
};

/** A Redis for this file, which ends with its tests. */
export async function startRedis(options?: {
  password?: string;
  appendOnly?: boolean;
}): Promise<RedisServer> {
  const server = (await start(options)) as RedisServer;
  after(() => server.stop());
  return server;
}
