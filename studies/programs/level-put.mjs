import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import fastify from 'fastify';
import { scratch, serve } from './kit.mjs';

/** One database writes one batch at a time. */
const SHARDS = 16;
const shards = Array.from({ length: SHARDS }, (_, index) => new ClassicLevel(join(scratch, String(index))));
await Promise.all(shards.map((shard) => shard.open()));
const app = fastify();
let turn = 0;

app.put('/items', async () => {
  const key = turn++;
  await shards[key % SHARDS].put(String(key % 1000), 'x'.repeat(200), { sync: true });
  return { ok: true };
});
await app.ready();

serve(app.server);
