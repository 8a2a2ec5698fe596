import { createServer } from 'node:http';
import compression from 'compression';
import express from 'express';
import { serve } from './kit.mjs';

const app = express();
const products = Array.from({ length: 600 }, (_, id) => ({
  id,
  name: `product ${(id * 7919) % 997}`,
  price: ((id * 31) % 1000) / 10,
  tags: ['pool', 'thread', 'queue'].slice(id % 3),
}));

app.use(compression());
app.get('/products', (_request, response) => response.json(products));

serve(createServer(app));
