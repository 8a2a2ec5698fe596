import { createServer } from 'node:http';
import axios from 'axios';
import express from 'express';
import { serve } from './kit.mjs';
import { startUpstream } from './upstream.mjs';

const app = express();
const port = await startUpstream();
let turn = 0;

/** Node's agent keeps connections open (since Node 19), so most requests need no lookup. */
app.get('/stock', async (_request, response) => {
  const { data } = await axios.get(`http://host-${turn++ % 64}.plimsoll.test:${port}/`, { proxy: false });
  response.json(data);
});

serve(createServer(app));
