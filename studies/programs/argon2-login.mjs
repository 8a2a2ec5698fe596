import argon2 from 'argon2';
import fastify from 'fastify';
import { serve } from './kit.mjs';

const app = fastify();
const hash = await argon2.hash('correct horse', { memoryCost: 8192, timeCost: 2, parallelism: 1 });

app.post('/login', async (request) => ({ ok: await argon2.verify(hash, request.body.password) }));
await app.ready();

serve(app.server);
