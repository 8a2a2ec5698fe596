// A process whose pool hashes a little all the time, for `plimsoll top` to look at. It ends when its standard input does.
import { pbkdf2 } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const THREADS = 4;
const ITERATIONS = 1000;
const REST_MS = 20;

function client(): void {
  pbkdf2('a', 'b', ITERATIONS, 64, 'sha512', () => void sleep(REST_MS).then(client));
}

for (let started = 0; started < THREADS; started++) client();
process.stdin.resume().on('end', () => process.exit());
