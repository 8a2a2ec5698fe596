import fastify, { type FastifyInstance } from 'fastify';
import type { RequestMeter } from './request-meter.js';

/**
 * The sample server: `GET /test` starts a request's operations and answers at once (`?wait=1`: when they are done),
 * `GET /ping` does nothing else than answer.
 */
export function sampleApp(recorder: RequestMeter): FastifyInstance {
  const app = fastify();
  app.get<{ Querystring: { wait?: string } }>('/test', async ({ query }) => {
    const done = recorder.request();
    if (query.wait === '1') await done;
    return 'ok';
  });
  app.get('/ping', async () => 'pong');
  return app;
}
