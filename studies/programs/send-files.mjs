import { createServer } from 'node:http';
import send from 'send';
import { inputs, serve } from './kit.mjs';

serve(createServer((request, response) => send(request, request.url, { root: inputs }).pipe(response)));
