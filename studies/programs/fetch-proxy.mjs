import fastify from 'fastify';
import { serve } from './kit.mjs';
import { startUpstream } from './upstream.mjs';

const app = fastify();
const port = await startUpstream();
let turn = 0;

/** A connection each, and so a lookup each. */
app.get('/stock', async () => {
  const response = await fetch(`http://host-${turn++ % 64}.plimsoll.test:${port}/`, {
    headers: { connection: 'close' },
  });
  return response.json();
});
await app.ready();

serve(app.server);
