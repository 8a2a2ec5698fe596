import { pbkdf2 } from 'node:crypto';
import { readFile } from 'node:fs';
import { createServer } from 'node:http';
import { exportRows } from './export.mjs';

function login(done) {
  pbkdf2('secret', 'salt', 1000, 32, 'sha256', done);
}

const routes = {
  '/': (done) => readFile('README.md', done),
  '/login': login,
  '/export': exportRows,
};
const server = createServer((request, response) => {
  routes[request.url]((error, result) => response.end(String(error ?? result.length)));
});

// The traffic: so many rounds, in each an export and eight who log in.
server.listen(0, '127.0.0.1', async () => {
  const get = (path) => fetch(`http://127.0.0.1:${server.address().port}${path}`);
  for (let round = 0; round < Number(process.argv[2]); round++)
    await Promise.all(['/export', ...Array(8).fill('/login'), '/'].map(get));
  server.close();
});
