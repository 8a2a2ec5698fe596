// The server whose slowdown is measured: `pbkdf2` hashes once per request, `files` reads twenty small files. It
// writes its port into a file, says at /used what it has used since it was started, and ends itself at /stop.
import { pbkdf2 } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const FILES = 20;
const directory = mkdtempSync(join(tmpdir(), 'plimsoll-bench-'));
const files = Array.from({ length: FILES }, (_, index) => join(directory, `${index}`));
for (const file of files) writeFileSync(file, 'x'.repeat(4096));

const hash = promisify(pbkdf2);
const WORK: Readonly<Record<string, () => Promise<unknown>>> = {
  pbkdf2: () => hash('password', 'salt', 5000, 64, 'sha512'),
  files: () => Promise.all(files.map((file) => readFile(file))),
};
const [, , name = '', portFile = ''] = process.argv;
const work = WORK[name];
if (work === undefined) throw new Error(`there is no app ${name}`);

const server = createServer(async (request, response) => {
  if (request.url === '/used') {
    const { user, system } = process.cpuUsage();
    return response.end(JSON.stringify({ pid: process.pid, cpuMs: (user + system) / 1000 }));
  }
  if (request.url === '/stop') {
    // Ends the connections that are idle, and this one once it is answered.
    response.setHeader('connection', 'close').end();
    server.close();
    return rmSync(directory, { recursive: true });
  }
  await work();
  response.end('ok');
});
server.listen(0, '127.0.0.1', () => {
  // The file appears under its name only when all of it is written.
  writeFileSync(`${portFile}.new`, String((server.address() as AddressInfo).port));
  renameSync(`${portFile}.new`, portFile);
});
