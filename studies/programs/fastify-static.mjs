import fastifyStatic from '@fastify/static';
import fastify from 'fastify';
import { inputs, serve } from './kit.mjs';

const app = fastify();
app.register(fastifyStatic, { root: inputs });
await app.ready();

serve(app.server);
