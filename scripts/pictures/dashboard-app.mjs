// A server's pool for the dashboard's picture: quiet, then busy with hashes, then blocked by four hanging reads, then quiet.
import { execFileSync } from 'node:child_process';
import { pbkdf2 } from 'node:crypto';
import { lookup } from 'node:dns';
import { closeSync, mkdtempSync, openSync, readFile, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  monitorThreadPool,
  prometheusContentType,
  prometheusText,
  rescueThreadPool,
} from '@plimsoll/monitor';

const monitor = monitorThreadPool();
monitor.enable();
createServer((_, response) => {
  response.setHeader('content-type', prometheusContentType).end(prometheusText(monitor));
}).listen(Number(process.argv[2]), '127.0.0.1');
await rescueThreadPool({ size: 4, max: 16, holdMs: 5000 });

setInterval(() => readFile(import.meta.filename, () => {}), 10);
setInterval(() => lookup('127.1', () => {}), 50);
await sleep(25_000);
const hashes = setInterval(() => {
  for (let job = 0; job < 12; job++) pbkdf2('secret', 'salt', 10_000, 64, 'sha512', () => {});
}, 200);
await sleep(25_000);
clearInterval(hashes);
const folder = mkdtempSync(join(tmpdir(), 'plimsoll-dashboard-'));
const fifo = join(folder, 'fifo');
execFileSync('mkfifo', [fifo]);
for (let read = 0; read < 4; read++) readFile(fifo, () => {});
await sleep(25_000);
closeSync(openSync(fifo, 'r+'));
rmSync(folder, { recursive: true });
