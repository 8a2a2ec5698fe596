// Disturbs one core for as long as its parent lives: busy and idle by turns, each for a random time of up to two seconds; with
// `always`, never idle.
import { setTimeout as sleep } from 'node:timers/promises';

const LONGEST_MS = 2000;

process.once('disconnect', () => process.exit());
for (;;) {
  const until = performance.now() + Math.random() * LONGEST_MS;
  while (performance.now() < until) {
    for (let spin = 0; spin < 1e5; spin++);
    // Lets the end of the parent be heard.
    await new Promise(setImmediate);
  }
  if (process.argv[2] !== 'always') await sleep(Math.random() * LONGEST_MS);
}
