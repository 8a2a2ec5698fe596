// A small server with traffic of its own, for `plimsoll advise -- node examples/advise/app.mjs`: it hashes passwords and reads
// pages, as many a server does, is asked at random moments for three seconds, and ends by itself.
import { pbkdf2 } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const hash = promisify(pbkdf2);
const page = new URL(import.meta.url);

const server = createServer(async ({ url }, response) => {
  try {
    if (url === '/login') response.end((await hash('secret', 'salt', 6000, 64, 'sha512')).toString('hex'));
    else response.end(await readFile(page));
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
});
server.listen(0, '127.0.0.1', async () => {
  const { port } = server.address();
  // 127.0.0.1, not localhost: names are looked up on the pool.
  const ask = (path) =>
    new Promise((resolve, reject) => {
      get({ host: '127.0.0.1', port, path, agent: false }, (answer) =>
        answer.resume().once('end', resolve),
      ).once('error', reject);
    });
  const asked = [];
  const end = performance.now() + 3000;
  for (let due = performance.now(); due < end; due += -Math.log(1 - Math.random()) * 7) {
    if (due > performance.now()) await sleep(due - performance.now());
    asked.push(ask(asked.length % 2 === 0 ? '/login' : '/page'));
  }
  await Promise.all(asked);
  server.close();
});
