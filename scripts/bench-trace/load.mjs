// Requests to a server on loopback, over connections that are kept.
import { Agent, get } from 'node:http';

/** One request; its body. */
export function ask(port, path, agent) {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, agent }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text) => {
        body += text;
      });
      response.on('end', () => resolve(body));
      response.on('error', reject);
    }).on('error', reject);
  });
}

/**
 * Closed loop: `clients` that each wait for their answer before they ask again. Resolves with the rate of answers per
 * second and the latencies in ms.
 */
export async function saturate(port, clients, ms) {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const latencies = [];
  const start = performance.now();
  const client = async () => {
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
}

/** Open loop: requests at random moments, `rate` a second, measured from the moments when they were due. */
export async function arrive(port, rate, ms, random) {
  const agent = new Agent({ keepAlive: true });
  const latencies = [];
  const pending = [];
  const start = performance.now();
  for (let due = 0; due < ms; due += (-Math.log(1 - random.next()) * 1000) / rate) {
    const wait = start + due - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    const intended = start + due;
    pending.push(ask(port, '/', agent).then(() => latencies.push(performance.now() - intended)));
  }
  await Promise.all(pending);
  agent.destroy();
  return { rate: (latencies.length / (performance.now() - start)) * 1000, latencies };
}
