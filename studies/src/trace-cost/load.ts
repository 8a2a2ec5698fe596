// Requests to a server on loopback, over connections that are kept.
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '@plimsoll/lab';

/** What the clients saw. */
export interface Answers {
  /** Answers per second. */
  readonly rate: number;
  /** Milliseconds, one of each answer. */
  readonly latencies: readonly number[];
}

/** Puts a server on some port under load for so many milliseconds. */
export type Drive = (port: number, ms: number) => Promise<Answers>;

/** One request; its body. Without an agent, its connection is its own: a kept one may be closed while it is asked. */
export function ask(port: number, path: string, agent: Agent | false = false): Promise<string> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, agent }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        body += text;
      });
      response.on('end', () => resolve(body));
      response.on('error', reject);
    }).on('error', reject);
  });
}

/** Closed loop: so many clients, each of which waits for its answer before it asks again. */
export const saturate =
  (clients: number): Drive =>
  async (port, ms) => {
    const agent = new Agent({ keepAlive: true, maxSockets: clients });
    const latencies: number[] = [];
    const start = performance.now();
    const client = async (): Promise<void> => {
      while (performance.now() - start < ms) {
        const asked = performance.now();
        await ask(port, '/', agent);
        latencies.push(performance.now() - asked);
      }
    };
    await Promise.all(Array.from({ length: clients }, client));
    const rate = (latencies.length / (performance.now() - start)) * 1000;
    agent.destroy();
    return { rate, latencies };
  };

/** Open loop: requests at random moments, `rate` a second, each measured from the moment when it was due. */
export const arrive =
  (rate: number, random: Random): Drive =>
  async (port, ms) => {
    const agent = new Agent({ keepAlive: true });
    const latencies: number[] = [];
    const pending: Promise<unknown>[] = [];
    const start = performance.now();
    for (let due = 0; due < ms; due += (-Math.log(1 - random.next()) * 1000) / rate) {
      const wait = start + due - performance.now();
      if (wait > 0) await sleep(wait);
      const intended = start + due;
      pending.push(ask(port, '/', agent).then(() => latencies.push(performance.now() - intended)));
    }
    await Promise.all(pending);
    agent.destroy();
    return { rate: (latencies.length / (performance.now() - start)) * 1000, latencies };
  };
