import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** Asks a local server every 10 ms whether or not it has answered before: an open loop hides no stall. */
const EVERY_MS = 10;
const port = Number(process.argv[2]);
const agent = new Agent({ keepAlive: true });

function ask(due: number): Promise<number> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, agent }, (response) => {
      response.resume();
      response.once('end', () => resolve(performance.now() - due));
    }).once('error', reject);
  });
}

process.once('message', async ({ ms }: { ms: number }) => {
  const started = performance.now();
  const answers: Promise<number>[] = [];
  for (let due = started; due < started + ms; due += EVERY_MS) {
    await sleep(Math.max(0, due - performance.now()));
    answers.push(ask(due));
  }
  process.send?.(await Promise.all(answers));
  agent.destroy();
});
// One request beforehand: what is measured is the server's event loop, not this process's first call of everything.
await ask(0);
process.send?.('ready');
