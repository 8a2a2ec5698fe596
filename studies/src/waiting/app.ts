// The recorded app: calls its routes by the schedule, and writes the mean time of the victim's calls by its own clock.
import { pbkdf2 } from 'node:crypto';
import { lookup } from 'node:dns';
import { mkdtempSync, openSync, read, rmSync, stat, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzip } from 'node:zlib';
import { mark } from 'plimsoll/mark';
import type { Schedule } from './pairs.js';

export interface AppSettings {
  readonly schedule: Schedule;
  readonly victim: string;
  /** The file for the mean of the victim's calls, in milliseconds. */
  readonly out: string;
}

const BYTES = 32 * 1024 * 1024;
const directory = mkdtempSync(join(tmpdir(), 'plimsoll-waiting-'));
const file = join(directory, 'file');
writeFileSync(file, Buffer.alloc(BYTES, 'waiting'));
const descriptor = openSync(file, 'r');
const buffer = Buffer.alloc(BYTES);
const rows = Buffer.from(
  Array.from({ length: 200_000 }, (_, row) => `${(row * 2_654_435_761) % 9973}`).join(),
);

const ROUTES: Readonly<Record<string, (done: () => void) => void>> = {
  login: (done) => pbkdf2('secret', 'salt', 500, 32, 'sha256', done),
  derive: (done) => pbkdf2('secret', 'salt', 40_000, 32, 'sha512', done),
  gzip: (done) => gzip(rows, { chunkSize: 2 ** 23 }, done),
  stat: (done) => stat(file, done),
  read: (done) => read(descriptor, buffer, 0, BYTES, 0, done),
  lookup: (done) => lookup('localhost', done),
};

const { schedule, victim, out } = JSON.parse(process.argv[2] ?? '') as AppSettings;
const times: number[] = [];

function call(route: string): Promise<void> {
  const start = performance.now();
  return mark(route, () => new Promise<void>((resolve) => ROUTES[route]?.(resolve))).then(() => {
    if (route === victim) times.push(performance.now() - start);
  });
}

await Promise.all(
  schedule.flatMap(([at, route, count]) =>
    Array.from({ length: count }, async () => {
      await new Promise((resolve) => setTimeout(resolve, at));
      await call(route);
    }),
  ),
);
rmSync(directory, { recursive: true });
writeFileSync(out, String(times.reduce((sum, time) => sum + time, 0) / times.length));
