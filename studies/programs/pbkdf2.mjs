import { pbkdf2 } from 'node:crypto';
import { createServer } from 'node:http';
import { serve } from './kit.mjs';

serve(
  createServer((_request, response) =>
    pbkdf2('correct horse', 'battery staple', 3_000, 32, 'sha512', (error, key) => {
      response.statusCode = error === null ? 200 : 500;
      response.end(key?.toString('hex'));
    }),
  ),
);
