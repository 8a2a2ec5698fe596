import { createServer } from 'node:http';
import bcrypt from 'bcrypt';
import express from 'express';
import { serve } from './kit.mjs';

const app = express();
const hash = bcrypt.hashSync('correct horse', 8);

app.post('/login', express.json(), async (request, response) => {
  response.json({ ok: await bcrypt.compare(request.body.password, hash) });
});

serve(createServer(app));
