import { createServer } from 'node:http';
import { serve } from './kit.mjs';

serve(createServer((_request, response) => response.end('hello there')));
