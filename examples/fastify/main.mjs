import plimsollPool from '@plimsoll/fastify';
import Fastify from 'fastify';

const fastify = Fastify();
fastify.register(plimsollPool, {
  filename: new URL('./worker.mjs', import.meta.url),
  maxQueue: 100,
  metrics: '/metrics',
});
// When the client goes away, its task ends. When 100 tasks wait, the answer is 503 with Retry-After.
fastify.get('/fibonacci/:n', async (request) => ({
  result: await request.runTask(Number(request.params.n)),
}));
const address = await fastify.listen({ port: 0 });

// What follows is the client.
const answers = await Promise.all([20, 25, 30].map((n) => fetch(`${address}/fibonacci/${n}`)));
for (const answer of answers) console.log(answer.status, await answer.text());
const metrics = await (await fetch(`${address}/metrics`)).text();
console.log(metrics.match(/^plimsoll_pool_task_refused_total.*$/m)[0]);

await fastify.close();
