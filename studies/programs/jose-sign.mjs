import { createServer } from 'node:http';
import express from 'express';
import { generateKeyPair, SignJWT } from 'jose';
import { serve } from './kit.mjs';

const app = express();
const { privateKey } = await generateKeyPair('RS256');

app.post('/token', async (_request, response) => {
  const token = new SignJWT({ role: 'reader' }).setProtectedHeader({ alg: 'RS256' }).setExpirationTime('5m');
  response.json({ token: await token.sign(privateKey) });
});

serve(createServer(app));
