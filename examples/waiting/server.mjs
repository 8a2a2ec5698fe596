import { pbkdf2 } from 'node:crypto';
import { readFile } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { exportRows } from './lib/export.mjs';

const page = fileURLToPath(import.meta.url);

function login(done) {
  pbkdf2('secret', 'salt', 1000, 32, 'sha256', done);
}

const routes = {
  '/': (done) => readFile(page, done),
  '/login': login,
  '/export': exportRows,
};

const server = createServer((request, response) => {
  routes[request.url]((error, result) => response.end(String(error ?? result?.length)));
});

// `node server.mjs` serves; with a number it makes so many rounds of traffic itself and ends.
server.listen(0, '127.0.0.1', async () => {
  const { port } = server.address();
  const rounds = Number(process.argv[2] ?? 0);
  if (rounds === 0) return console.log(`http://127.0.0.1:${port}`);
  const get = (path) => fetch(`http://127.0.0.1:${port}${path}`).then((response) => response.text());
  for (let round = 0; round < rounds; round++)
    await Promise.all([get('/export'), ...Array.from({ length: 8 }, () => get('/login')), get('/')]);
  server.close();
});
