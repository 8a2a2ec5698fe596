const program = `
const { once } = require('node:events');
const { join } = require('node:path');
const fastify = require('fastify')();
fastify.register(require('fastify-piscina'), { filename: join(__dirname, 'worker.cjs'), maxThreads: 2 });
fastify.get('/sum', async ({ query }) => ({ sum: await fastify.runTask({ a: Number(query.a), b: 1 }) }));
fastify.get('/fail', async () => fastify.runTask({ fail: 'on purpose' }));
fastify.get('/abort', async () => {
  const controller = new AbortController();
  const task = fastify.runTask({ forever: true }, controller.signal);
  setTimeout(() => controller.abort(), 200);
  return task;
});
(async () => {
  const urls = Array.from({ length: 40 }, (_, a) => '/sum?a=' + a);
  for (const url of ['/fail', '/abort', '/sum?a=40']) urls.push(url);
  const answers = await Promise.all(urls.map((url) => fastify.inject(url)));
  for (const answer of answers) {
    // The drop-in's errors have a code, which Fastify adds to its answer.
    const { code, ...body } = answer.json();
    console.log(answer.statusCode, body);
  }
  await fastify.piscina.destroy();
  await fastify.close();
})();
`;

const worker = `
module.exports = ({ a, b, fail, forever }) => {
  if (fail) throw new Error(fail);
  while (forever);
  return a + b;
};
`;

export default {
  what: 'a server answers 43 requests, one of which fails and one is aborted',
  packages: { 'fastify-piscina': '4.0.0', fastify: '3.29.5' },
  files: { 'main.cjs': program, 'worker.cjs': worker },
  command: ['main.cjs'],
};
