// The server whose slowdown is measured: `pbkdf2` hashes once per request, `files` reads twenty small files. It writes its
// port into the file PORT_FILE, and ends itself at /end, where it says what it used since /begin.
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
const [, , name = ''] = process.argv;
const work = WORK[name];
if (work === undefined) throw new Error(`there is no app ${name}`);

let begun = process.cpuUsage();
const server = createServer(async (request, response) => {
  if (request.url === '/begin') begun = process.cpuUsage();
  else if (request.url === '/end') {
    const { user, system } = process.cpuUsage(begun);
    response.end(JSON.stringify({ cpuMs: (user + system) / 1000 }));
    server.close();
    server.closeAllConnections();
    rmSync(directory, { recursive: true });
    return;
  } else await work();
  response.end('ok');
});
server.listen(0, '127.0.0.1', () => {
  const file = process.env.PORT_FILE ?? '';
  // The file appears under its name only when all of it is written.
  writeFileSync(`${file}.new`, String((server.address() as AddressInfo).port));
  renameSync(`${file}.new`, file);
});
