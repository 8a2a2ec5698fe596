// Logins hash a password, avatars are small files: both need a thread of libuv's pool.
import { scrypt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { promisify } from 'node:util';

const hash = promisify(scrypt);
const routes = {
  '/login': () => hash('secret', 'salt', 64, { cost: 4096 }),
  '/avatar': () => readFile(import.meta.filename),
};

createServer(async (request, response) => {
  const answer = routes[request.url];
  response.end(answer === undefined ? 'no such route' : await answer());
}).listen(process.env.PORT ?? 3000, '127.0.0.1');
