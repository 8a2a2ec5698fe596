import { pbkdf2 } from 'node:crypto';
import { createServer } from 'node:http';

createServer((request, response) => {
  if (request.url === '/health') return response.end('ok');
  pbkdf2('secret', 'salt', 20_000, 64, 'sha512', (error, hash) => {
    response.writeHead(error ? 500 : 200).end(hash?.toString('hex'));
  });
}).listen(Number(process.env.PORT ?? 3000), '127.0.0.1');
